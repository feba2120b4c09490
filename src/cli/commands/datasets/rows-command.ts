import { TidemarkError } from '../../../core/errors.ts';
import { allRows } from '../../../datasets/sinks/all-rows.ts';
import type { ResultRow } from '../../../datasets/sinks/result-row.ts';
import { COLUMNS, CREATE_TABLE, insertOf } from '../../../datasets/sinks/rows-table.ts';
import { csvRow } from '../../../lib/csv.ts';
import { formatBytes } from '../../../lib/format-bytes.ts';
import type { Call, CliCommand } from '../../cli-command.ts';
import { formatTable } from '../../ui/table.ts';
import { withExistingApp } from '../../with-app.ts';

interface Options {
  readonly csv?: true;
  readonly sql?: true;
}

/** What is printed of rows. */
interface RowFormat {
  readonly head: string;
  rows(rows: readonly ResultRow[]): string;
  readonly foot: string;
}

const AT_ONCE = 100;

export const datasetsRows: CliCommand<Options> = {
  group: 'datasets',
  usage: 'rows',
  summary: 'Prints the table ingest_fileset_result: a row for each request that has a result.',
  examples: [
    ['datasets rows --json', 'a line of JSON for each row, with its manifest'],
    ['datasets rows --sql | psql sandcrawler', 'makes the table, and writes all rows into it'],
  ],

  options(command) {
    command
      .option('--csv', 'as CSV, with the names of the columns')
      .option('--sql', 'as statements for PostgreSQL and SQLite, which make the table and replace rows');
  },

  async run(call) {
    const { head, rows, foot } = formatOf(call);
    const { terminal, stopped } = call;
    const onMissing = (url: string, reason: string) => terminal.say(`The row of ${url} has no manifest: ${reason}`);
    await withExistingApp(call, async ({ catalog, datasets }) => {
      await terminal.write(head);
      for await (const some of inBatches(allRows({ catalog, datasets, onMissing }))) {
        stopped.throwIfAborted();
        await terminal.write(rows(some));
      }
      await terminal.write(foot);
    });
  },
};

function formatOf({ options: { csv, sql }, terminal: { json } }: Call<Options>): RowFormat {
  if ([csv, sql, json].filter(Boolean).length > 1) {
    throw new TidemarkError('invalid', 'use one of --json, --csv and --sql');
  }
  const head = '';
  if (json) return { head, rows: (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join(''), foot: '' };
  if (csv) return { head: csvRow(COLUMNS), rows: (rows) => rows.map(csvOf).join(''), foot: '' };
  // One transaction: a database writes them at once, or none.
  if (sql) return { head: `BEGIN;\n${CREATE_TABLE}`, rows: (rows) => rows.map(insertOf).join(''), foot: 'COMMIT;\n' };
  return { head, rows: tableOf, foot: '' };
}

function csvOf(row: ResultRow): string {
  return csvRow(
    COLUMNS.map((column) => {
      const value = row[column];
      if (value === null) return undefined;
      return typeof value === 'object' ? JSON.stringify(value) : typeof value === 'boolean' ? String(value) : value;
    }),
  );
}

function tableOf(rows: readonly ResultRow[]): string {
  const heads = ['UPDATED (UTC)', 'STATUS', 'PLATFORM', 'STRATEGY', 'FILES', 'SIZE', 'BASE URL'];
  const cells = rows.map((row) => [
    row.updated.slice(0, 19),
    row.status ?? '',
    row.platform ?? '',
    row.ingest_strategy ?? '',
    row.file_count ?? '',
    row.total_size === null ? '' : formatBytes(row.total_size),
    row.base_url,
  ]);
  return `${formatTable(heads, cells)}\n`;
}

async function* inBatches(rows: AsyncIterable<ResultRow>): AsyncGenerator<readonly ResultRow[]> {
  let batch: ResultRow[] = [];
  let files = 0;
  for await (const row of rows) {
    batch.push(row);
    files += row.manifest?.length ?? 0;
    if (batch.length < AT_ONCE && files < AT_ONCE * 10) continue;
    yield batch;
    batch = [];
    files = 0;
  }
  if (batch.length > 0) yield batch;
}
