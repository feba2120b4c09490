import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { isTidemarkError } from '../../src/core/errors.ts';
import { openPostgresqlRows } from '../../src/datasets/sinks/postgresql-rows.ts';
import type { ResultRow } from '../../src/datasets/sinks/result-row.ts';
import { openSqliteRows } from '../../src/datasets/sinks/sqlite-rows.ts';
import { sentResult } from '../support/dataset-results.ts';
import { usePostgresql } from '../support/own-service.ts';
import { useTempFolder } from '../support/temp-folder.ts';
import { testResultRows } from './result-rows.ts';

const ALL = 'SELECT * FROM ingest_fileset_result ORDER BY base_url';

describe('rows of results in SQLite', () => {
  const folder = useTempFolder();
  const withDatabase = <Result>(work: (database: DatabaseSync) => Result): Result => {
    const database = new DatabaseSync(folder.at('new/datasets.db'));
    try {
      return work(database);
    } finally {
      database.close();
    }
  };

  testResultRows(() => ({
    open: async () => openSqliteRows(folder.at('new/datasets.db')),
    run: async (sql) => withDatabase((database) => database.exec(sql)),
    async rows() {
      const rows = withDatabase((database) => {
        const statement = database.prepare(ALL);
        return statement.all();
      });
      return rows.map(({ hit, updated, manifest, ...row }) => {
        const time = new Date(`${updated}`.replace(/^(\S+) (\S+)$/, '$1T$2Z')).toISOString();
        const files = manifest === null ? null : JSON.parse(manifest as string);
        return { ...row, hit: hit === 1, updated: time, manifest: files } as unknown as ResultRow;
      });
    },
    indexes: async () =>
      withDatabase((database) => {
        const indexes = database.prepare("SELECT name, origin FROM pragma_index_list('ingest_fileset_result')").all();
        const columns = database.prepare('SELECT group_concat(name) AS names FROM pragma_index_info(?)');
        return indexes
          .toSorted((one) => (one.origin === 'pk' ? -1 : 1))
          .map(({ name }) => columns.get(name!)!.names as string);
      }),
    async goAway() {
      const database = new DatabaseSync(folder.at('new/datasets.db'));
      database.exec('BEGIN EXCLUSIVE');
      return async () => database.close();
    },
  }));
});

describe('the file of rows in SQLite', () => {
  const folder = useTempFolder();

  it('can be read by its owner alone, and says when it cannot be made', async () => {
    await openSqliteRows(folder.at('datasets.db')).close();
    assert.equal(statSync(folder.at('datasets.db')).mode & 0o077, 0);
    folder.write('file');
    const isAway = (error: unknown) => isTidemarkError(error, 'unavailable') && error.details.sink === 'rows';
    assert.throws(() => openSqliteRows(folder.at('file/datasets.db')), isAway);
    assert.throws(() => openSqliteRows(folder.path), isAway);
  });
});

describe('rows of results in PostgreSQL', () => {
  const place = usePostgresql();
  const ask = async (sql: string) => {
    const client = new pg.Client(place.postgresql.url);
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  };

  testResultRows(() => ({
    open: () => openPostgresqlRows(place.postgresql.url),
    run: ask,
    async rows() {
      return (await ask(ALL)).map(({ updated, total_size, ...row }) => ({
        ...row,
        updated: updated.toISOString(),
        total_size: total_size === null ? null : Number(total_size),
      }));
    },
    async indexes() {
      const rows = await ask(`SELECT indexdef FROM pg_indexes WHERE tablename = 'ingest_fileset_result' ORDER BY
        indexname DESC`);
      return rows
        .map(({ indexdef }) => /\((.*)\)$/.exec(indexdef)![1]!.replaceAll(' ', ''))
        .toReversed()
        .toSorted();
    },
    async goAway() {
      await place.postgresql.kill();
      return () => place.postgresql.start();
    },
  }));

  it('writes a row without the manifest that it refuses, and reports that (d19)', async () => {
    const sink = await openPostgresqlRows(place.postgresql.url);
    try {
      await ask('DROP TABLE IF EXISTS ingest_fileset_result');
      await sink.create();
      const bad = sentResult('bad', { manifest: [{ status: 'success', path: 'a\0b' }] });
      const leftOut = await sink.send([sentResult('one'), bad, sentResult('two')]);
      assert.deepEqual(
        leftOut.map(({ baseUrl, what }) => [baseUrl, what]),
        [['https://data.example.org/bad', 'manifest']],
      );
      const rows = await ask('SELECT base_url, manifest IS NULL AS is_short FROM ingest_fileset_result ORDER BY 1');
      assert.deepEqual(
        rows.map(({ is_short }) => is_short),
        [true, false, false],
      );
    } finally {
      await sink.close();
    }
  });

  it('has columns of the types of the source document (D39-D46)', async () => {
    const rows = await ask(`SELECT column_name || ' ' || data_type || ' ' || is_nullable AS text
      FROM information_schema.columns WHERE table_name = 'ingest_fileset_result' ORDER BY ordinal_position`);
    assert.deepEqual(
      rows.map(({ text }) => text),
      [
        'ingest_type text NO',
        'base_url text NO',
        'updated timestamp with time zone NO',
        'hit boolean NO',
        'status text YES',
        'terminal_url text YES',
        'terminal_dt text YES',
        'terminal_status_code integer YES',
        'terminal_sha1hex text YES',
        'platform text YES',
        'platform_domain text YES',
        'platform_id text YES',
        'ingest_strategy text YES',
        'total_size bigint YES',
        'file_count integer YES',
        'item_name text YES',
        'item_bundle_path text YES',
        'manifest jsonb YES',
      ],
    );
  });
});
