import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { App } from '../../src/app.ts';
import { rowOf } from '../../src/datasets/sinks/result-row.ts';
import { startPlatforms } from '../support/dataset-platforms.ts';
import { endedDocument, manifestFile } from '../support/dataset-results.ts';
import { SQLITE } from '../support/each-store.ts';
import { jsonLines } from '../support/json-lines.ts';
import { usePostgresql } from '../support/own-service.ts';
import { recordResults } from '../support/recorded-results.ts';
import { runTidemark } from '../support/run-tidemark.ts';
import { closeApps, startApp } from '../support/start-app.ts';

const FILES = [manifestFile("it's.csv", { extra: { text: 'a "quoted" \\ text\n;' } }), manifestFile('b.csv')];
const DOCUMENTS = [
  endedDocument('one'),
  endedDocument('two', {
    hit: false,
    status: 'platform-404',
    itemName: "o'clock",
    platform: { name: '=1+1', domain: 'd', id: 'a,b' },
  }),
];

describe('tidemark datasets rows', () => {
  const place = usePostgresql();
  let app: App;
  let folder: string;
  let store: string;

  beforeEach(async () => {
    const started = await startApp(SQLITE);
    ({ app, folder } = started);
    store = SQLITE.place(folder, {}).environment.TIDEMARK_STORE!;
    await recordResults(app, DOCUMENTS, FILES);
  });
  afterEach(closeApps);

  const environment = () => ({ TIDEMARK_STORE: store, TIDEMARK_DATA: app.configuration.dataFolder });
  const prints = async (...flags: readonly string[]) => {
    const env = environment();
    const { exitCode, stdout, stderr } = await runTidemark(['datasets', 'rows', ...flags], { cwd: folder, env });
    assert.equal(exitCode, 0, stderr);
    return stdout;
  };
  const expected = DOCUMENTS.map((document) => rowOf(document, FILES));

  it('prints a row for each result: as a table, as JSON and as CSV', async () => {
    const lines = jsonLines(await prints('--json'));
    assert.deepEqual(
      lines.toSorted((a, b) => (a.base_url < b.base_url ? -1 : 1)),
      expected,
    );

    const table = await prints();
    assert.match(table, /^UPDATED \(UTC\) +STATUS +PLATFORM +STRATEGY +FILES +SIZE +BASE URL$/m);
    assert.match(table, /^2026-11-29T08:00:00 +platform-404 +=1\+1 +web-fileset +2 +5\.00 GB +https:\S+\/two$/m);

    const csv = await prints('--csv');
    assert.match(csv, /^ingest_type,base_url,updated,hit,.*,manifest\r\n/);
    assert.match(csv, /dataset,https:\/\/data\.example\.org\/two,2026-11-29T08:00:00\.000Z,false,platform-404,.*"a,b"/);
  });

  it('prints statements that PostgreSQL and SQLite take, also twice (D39, D41, D44-D46, D49)', async () => {
    const sql = await prints('--sql');
    const database = new DatabaseSync(':memory:');
    const client = new pg.Client(place.postgresql.url);
    await client.connect();
    try {
      for (const _ of [1, 2]) {
        database.exec(sql);
        await client.query(sql);
      }
      const all = 'SELECT base_url, hit, item_name, total_size, manifest FROM ingest_fileset_result ORDER BY base_url';
      const values = expected.map(({ base_url, hit, item_name, total_size, manifest }) => ({
        base_url,
        hit,
        item_name,
        total_size,
        manifest,
      }));
      const ofSqlite = database.prepare(all).all();
      assert.deepEqual(
        ofSqlite.map((row) => ({ ...row, hit: row.hit === 1, manifest: JSON.parse(row.manifest as string) })),
        values,
      );
      const { rows } = await client.query(all);
      assert.deepEqual(
        rows.map((row) => ({ ...row, total_size: Number(row.total_size) })),
        values,
      );
    } finally {
      database.close();
      await client.end();
    }
  });

  it('has the row of a dataset that was ingested by a command, in the database, too (D34, D51)', async () => {
    const platforms = await startPlatforms();
    try {
      const url = platforms.add({ platform: 'zenodo', id: '12', files: [{ name: 'a.csv' }] });
      const ingest = async (more: Readonly<Record<string, string>> = {}) => {
        const env = { ...environment(), TIDEMARK_DATASET_NETWORKS: '127.0.0.1', ...more };
        const { exitCode, stderr } = await runTidemark(['datasets', 'ingest', url], { cwd: folder, env });
        assert.equal(exitCode, 0, stderr);
      };
      await ingest();
      const database = new DatabaseSync(join(app.configuration.dataFolder, 'datasets.db'), { readOnly: true });
      const row = database.prepare('SELECT * FROM ingest_fileset_result WHERE base_url = ?').get(url)!;
      database.close();
      assert.deepEqual([row.platform_id, row.ingest_strategy, row.file_count], ['12', 'web-file', 1]);
      const [file] = JSON.parse(row.manifest as string);
      assert.deepEqual([file.path, file.status, file.size], ['a.csv', 'success', 1_000]);

      // Another database gets the rows of before, too.
      const client = new pg.Client(place.postgresql.url);
      await client.connect();
      try {
        await client.query('DROP TABLE IF EXISTS ingest_fileset_result');
        await ingest({ TIDEMARK_DATASET_ROWS: place.postgresql.url });
        const { rows } = await client.query('SELECT status FROM ingest_fileset_result ORDER BY status');
        assert.deepEqual(rows.map(({ status }) => status).toSorted(), ['platform-404', 'success', 'success-existing']);
      } finally {
        await client.end();
      }
    } finally {
      await platforms.close();
    }
  });
});
