import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { App } from '../../src/app.ts';
import { putArtifact } from '../../src/artifacts/put-artifact.ts';
import { isTidemarkError } from '../../src/core/errors.ts';
import type { ResultSink } from '../../src/datasets/sinks/result-sink.ts';
import { sendResults } from '../../src/datasets/sinks/send-results.ts';
import { openSqliteRows } from '../../src/datasets/sinks/sqlite-rows.ts';
import { addSends, sendDatasetResults } from '../../src/jobs/kinds/send-dataset-results.ts';
import { endedDocument, manifestFile, requestDocument } from '../support/dataset-results.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { recordResults, sendAsWorker } from '../support/recorded-results.ts';
import { closeApps, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';

describeOnEachStore('the sinks of results of datasets', (kind, itOnce) => {
  let app: App;
  let file: string;
  let worker: { stop(): Promise<void> } | undefined;

  beforeEach(async () => {
    const started = await startApp(kind);
    app = started.app;
    file = join(app.configuration.dataFolder, 'datasets.db');
  });
  afterEach(async () => {
    await worker?.stop();
    worker = undefined;
    await closeApps();
  });

  const rows = (path = file): readonly Record<string, unknown>[] => {
    const database = new DatabaseSync(path);
    try {
      const table = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'ingest_fileset_result'").get();
      return table ? database.prepare('SELECT * FROM ingest_fileset_result ORDER BY base_url').all() : [];
    } finally {
      database.close();
    }
  };
  const hasRows = (count: number) => until(`${count} rows`, async () => rows().length === count);
  const documents = (count: number) => Array.from({ length: count }, (_, at) => endedDocument(`d${at}`));
  const behind = async () => /^tidemark_dataset_sink_behind\{sink="rows"\} (\d+)$/m.exec(await app.metrics.text())?.[1];

  it('write a row for each result, and replace it after the next ingest (D34, D49)', async () => {
    await recordResults(
      app,
      [...documents(60), requestDocument('waits', { state: 'waiting' })],
      [manifestFile('a.csv')],
    );
    worker = sendAsWorker(app);
    await hasRows(60);
    assert.equal(JSON.parse(rows()[0]!.manifest as string)[0].path, 'a.csv');
    await until('the sink has all', async () => (await behind()) === '0');

    await recordResults(app, [endedDocument('d7', { hit: false, status: 'platform-404' })]);
    await addSends(app);
    await until('the row is replaced', async () => rows().some(({ status }) => status === 'platform-404'));
    assert.equal(rows().length, 60);
    assert.equal(rows().find(({ base_url }) => `${base_url}`.endsWith('/d7'))!.hit, 0);
  });

  it('catch up after an outage of the database, which metrics and jobs report', async () => {
    await recordResults(app, documents(3));
    await openSqliteRows(file).close();
    const other = new DatabaseSync(file);
    other.exec('BEGIN EXCLUSIVE');
    try {
      worker = sendAsWorker(app);
      const job = await until('the job waits', async () => {
        const [found] = await app.jobs.queue.list({ kinds: [sendDatasetResults.kind], limit: 1 });
        return found?.wait && found;
      });
      assert.match(job.wait!.reason, /^the database of rows .* is locked by another process/);
      assert.equal(await behind(), '3');
      assert.match(await app.metrics.text(), /^tidemark_dataset_sink_waiting_seconds\{sink="rows"\} /m);
    } finally {
      other.close();
    }
    await hasRows(3);
    const ended = async () =>
      /^tidemark_dataset_sink_waiting_seconds\{sink="rows"\} 0$/m.test(await app.metrics.text());
    await until('the outage has ended', ended);
  });

  const sending = (open: () => Promise<ResultSink>, target = `sqlite:${file}`) =>
    sendResults({
      catalog: app.catalog,
      name: 'rows',
      target,
      open,
      datasets: app.datasets,
      urlOf: () => undefined,
      signal: new AbortController().signal,
      onLeftOut: ({ reason }) => assert.fail(reason),
    });

  it('write all rows into a table that was removed, and into another database', async () => {
    await recordResults(app, documents(3));
    const open = async () => openSqliteRows(file);
    assert.equal(await sending(open), 3);
    assert.equal(await sending(open), 0);
    new DatabaseSync(file).exec('DROP TABLE ingest_fileset_result');
    assert.equal(await sending(open), 3);
    const other = `${file}.other`;
    const another = openSqliteRows(other);
    await another.create();
    await another.close();
    assert.equal(await sending(async () => openSqliteRows(other), `sqlite:${other}`), 3);
    assert.deepEqual([rows().length, rows(other).length], [3, 3]);
  });

  it('send again what an earlier process may have overwritten', async () => {
    await recordResults(app, documents(3));
    const open = async () => openSqliteRows(file);
    // It has read the results, and writes them after another one has written newer ones.
    const late = async (): Promise<ResultSink> => {
      const sink = await open();
      return {
        ...sink,
        async send(results) {
          await recordResults(app, [endedDocument('d1', { status: 'success-existing' })]);
          assert.equal(await sending(open), 3);
          return sink.send(results);
        },
      };
    };
    await assert.rejects(sending(late), (error) => isTidemarkError(error, 'conflict'));
    assert.equal(rows()[1]!.status, 'success');
    assert.equal(await sending(open), 3);
    assert.equal(rows()[1]!.status, 'success-existing');
  });

  itOnce('write a row without a manifest that is damaged, and say so in the job', async () => {
    await recordResults(app, documents(1), [manifestFile('a.csv')]);
    const { manifest } = (await app.datasets.get('https://data.example.org/d0')).result!;
    await app.artifacts.delete(manifest!);
    const attempt = /(\w+)\.json$/.exec(manifest!)![1]!;
    const key = { kind: 'dataset-manifest', folder: '0'.repeat(32), attempt } as const;
    await putArtifact(app.artifacts, key, [Buffer.from('{ no JSON')]);
    worker = sendAsWorker(app);
    await hasRows(1);
    const jobs = () => app.jobs.queue.list({ kinds: [sendDatasetResults.kind], limit: 1 });
    await until('the end of its job', async () => (await jobs())[0]?.state === 'done');
    assert.match(JSON.stringify(await jobs()), /d0 was written without its manifest: the manifest .* is not JSON/);
    assert.equal(rows()[0]!.manifest, null);
  });
});
