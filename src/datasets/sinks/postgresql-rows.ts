import { TidemarkError } from '../../core/errors.ts';
import { RefusedResult, type ResultSink, type SentResult, sendEach } from './result-sink.ts';
import { CREATE_TABLE, OR_REPLACE, TABLE } from './rows-table.ts';

const CONNECT_MS = 10_000;
const QUERY_MS = 60_000;

/** Classes of SQLSTATE: wrong data (22), broken constraints (23), limits of the program (54). */
const REFUSED = /^(?:22|23|54)/;

/** The columns and their types are those of the table. */
const INSERT = `INSERT INTO ${TABLE} SELECT * FROM json_populate_recordset(null::${TABLE}, $1::json) ${OR_REPLACE}`;

/**
 * Rows in a database of PostgreSQL. The client is loaded now, and connects again after each failure.
 * @param url without a password, which the client reads from PGPASSWORD or ~/.pgpass
 */
export async function openPostgresqlRows(url: string): Promise<ResultSink> {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({
    connectionString: url,
    max: 1,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
    application_name: 'tidemark',
  });
  // A connection that breaks while it is unused: the next query makes another one.
  pool.on('error', () => {});
  const ask = async (text: string, values: readonly unknown[] = []) => {
    try {
      return await pool.query(text, [...values]);
    } catch (error) {
      throw translated(error, url);
    }
  };
  const write = async (results: readonly SentResult[]): Promise<void> => {
    await ask(INSERT, [JSON.stringify(results.map(({ row }) => row))]);
  };
  return {
    exists: async () => (await ask('SELECT to_regclass($1) AS found', [TABLE])).rows[0].found !== null,
    create: async () => {
      await ask(CREATE_TABLE);
    },
    send: (results) => sendEach(results, write),
    close: () => pool.end(),
  };
}

function translated(error: unknown, url: string): unknown {
  const { code = '', message } = error as { readonly code?: string; readonly message: string };
  if (REFUSED.test(code)) return new RefusedResult(message, { cause: error });
  const { host, pathname } = new URL(url);
  // Of several addresses of a host, each failed by itself: then the message is empty.
  const reason = message === '' ? code : message;
  return new TidemarkError(
    'unavailable',
    `PostgreSQL at ${host}${pathname} cannot be used (${reason}): start it, or correct --dataset-rows or PGPASSWORD`,
    { sink: 'rows' },
    error,
  );
}
