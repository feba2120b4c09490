import assert from 'node:assert/strict';
import { TidemarkError } from '../../src/core/errors.ts';
import { JOB_DEFINITIONS } from '../../src/jobs/job-list.ts';
import { JobRunner } from '../../src/jobs/job-runner.ts';
import { processUpload } from '../../src/jobs/kinds/process-upload.ts';
import { removeEndedJobs } from '../../src/jobs/kinds/remove-ended-jobs.ts';
import { UploadBacklog } from '../../src/records/deliveries/upload-backlog.ts';
import { openStores, type Stores } from '../../src/stores/open-stores.ts';
import { ask, askJson } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { type FileServer, startFileServer } from '../support/file-server.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';
import { marc } from '../support/upload-packages.ts';
import { ProcessedStream } from '../support/upload-processing.ts';

const JOB = 'process-upload/lane~main~1';
const KINDS = [processUpload.kind];

describeOnEachStore('an upload whose job has ended before it was processed', (store, itOnce) => {
  let started: StartedApp;
  let stream: ProcessedStream;
  let runner: JobRunner | undefined;
  let away: FileServer | undefined;
  /** Another process, which is killed when a test says so. */
  let other: Stores | undefined;
  beforeEach(async () => {
    started = await startApp(store, { uploadNetworks: ['127.0.0.1'] });
    stream = await ProcessedStream.make(started.app);
  });
  afterEach(async () => {
    await runner?.stop();
    await away?.close();
    await other?.close();
    [runner, away, other] = [undefined, undefined, undefined];
    await closeApps();
  });

  const show = async () => (await askJson(`${started.url}/api/organizations/lane/uploads/main/1`)).body;
  const post = (path: string) => ask(`${started.url}/api/${path}`, { method: 'POST' });
  const retry = () => post('organizations/lane/uploads/main/1/retry');
  const openOther = async () => {
    other = await openStores(started.app.configuration.store);
    return other;
  };

  /** Runs jobs, each with one attempt. */
  function run(): void {
    const worker = { name: 'tester', leaseMs: 30_000 };
    const definitions = JOB_DEFINITIONS.map((definition) => ({
      ...definition,
      retry: { attempts: 1, firstMs: 1, longestMs: 1 },
    }));
    runner = new JobRunner({ definitions, parts: started.app, worker, concurrency: 2 });
    runner.start();
  }

  /** Its job is claimed by a worker that is killed, and another one notices that. */
  async function loseLastAttempt(): Promise<void> {
    const { jobs } = started.app;
    const worker = { name: 'killed', leaseMs: 400 };
    await jobs.queue.claimer({ kinds: KINDS, worker, mostDeaths: 1 }).claim();
    const watching = jobs.queue.claimer({ kinds: KINDS, worker: { ...worker, name: 'other' }, mostDeaths: 1 });
    await until('its lease has ended', async () => (await watching.watch()).length > 0);
    assert.equal((await jobs.queue.get(JOB)).state, 'failed');
  }

  /** Nothing of it is published before someone retries it; then all is. */
  async function isProcessedAfterRetry(reason: RegExp): Promise<void> {
    const { status, failure } = await show();
    assert.deepEqual([status, failure?.retries], ['failed', false]);
    assert.match(failure.error, reason);
    assert.deepEqual(await stream.changes(), []);
    const retried = await retry();
    assert.equal(retried.status, 200, retried.text);
    if (runner === undefined) run();
    await until('it is processed', async () => (await show()).status === 'processed');
    assert.equal((await show()).failure, undefined);
  }

  itOnce('has failed, with the reason, when that was cancelled, and is processed when retried', async () => {
    await stream.upload({ 'deleted.txt': '1\n2\n' });
    assert.equal((await post(`jobs/${JOB}/cancel`)).status, 200);
    await isProcessedAfterRetry(/^its job was cancelled$/);
  });

  itOnce('has failed when that was cancelled while its file was fetched, also if all comes at once then', async () => {
    const rest = Promise.withResolvers<void>();
    const bytes = marc('1');
    away = await startFileServer(async (_request, response) => {
      response.writeHead(200, { 'Content-Length': bytes.length });
      response.write(bytes.subarray(0, 10));
      await rest.promise;
      response.end(bytes.subarray(10));
    });
    await (await started.app.records.uploads.begin('lane')).finish({ url: `${away.url}/new.mrc` });
    run();
    await until('it is being fetched', async () => away!.requests.length > 0);
    assert.equal((await post(`jobs/${JOB}/cancel`)).status, 200);
    rest.resolve();
    await until('its job has ended', async () => (await started.app.jobs.queue.get(JOB)).state === 'cancelled');
    await until('that is recorded', async () => (await show()).status === 'failed');
    await isProcessedAfterRetry(/^its job was cancelled$/);
  });

  itOnce('has failed when that was cancelled between two attempts', async () => {
    const number = await stream.upload({ 'new.mrc': marc('1') });
    const { files } = await started.app.records.uploads.get('lane', 'main', number);
    const { artifacts } = started.app;
    const stored = Buffer.concat(await (await artifacts.get(files[0]!.artifact)).body.toArray());
    await artifacts.delete(files[0]!.artifact);
    await assert.rejects(stream.process(number), /there is no _uploads/);
    assert.equal((await show()).status, 'waiting');
    assert.equal((await post(`jobs/${JOB}/cancel`)).status, 200);
    await artifacts.put(files[0]!.artifact, [stored]);
    await isProcessedAfterRetry(/^its job was cancelled$/);
  });

  itOnce('has failed when its worker was killed at the last attempt', async () => {
    await stream.upload({ 'new.mrc': marc('1') });
    await loseLastAttempt();
    await isProcessedAfterRetry(/broke off, .* the job process-upload\/lane~main~1 says more$/);
  });

  it('stays failed when a worker goes on that was paused for longer than its last lease', async () => {
    const number = await stream.upload({ 'new.mrc': marc('1') });
    const { jobs } = started.app;
    const worker = { name: 'paused', leaseMs: 400 };
    const owned = await jobs.queue.claimer({ kinds: KINDS, worker, mostDeaths: 1 }).claim();
    const watching = jobs.queue.claimer({ kinds: KINDS, worker: { ...worker, name: 'other' }, mostDeaths: 1 });
    await until('its lease has ended', async () => (await watching.watch()).length > 0);
    const confirm = async () => void (await owned!.heartbeat());
    await assert.rejects(stream.process(number, { confirm }), /another worker has the job/);
    await isProcessedAfterRetry(/broke off/);
  });

  it('can be retried when the process that cancelled its job was killed just then', async () => {
    await stream.upload({ 'new.mrc': marc('1') });
    await (await openOther()).jobs.cancel(JOB);
    assert.equal((await show()).status, 'waiting');
    assert.equal((await retry()).status, 200);
    run();
    await until('it is processed', async () => (await show()).status === 'processed');
  });

  itOnce('has failed when the next process starts that runs such jobs, and that processes nothing', async () => {
    await stream.upload({ 'new.mrc': marc('1') });
    await (await openOther()).jobs.cancel(JOB);
    await processUpload.addMissing!(started.app);
    await isProcessedAfterRetry(/^its job was cancelled$/);
  });

  itOnce('is not queued again by a process that starts when the record of its job was removed', async () => {
    const { app } = started;
    await stream.upload({ 'new.mrc': marc('1') });
    await (await openOther()).jobs.cancel(JOB);
    const clock = Date.now;
    try {
      Date.now = () => clock() + 31 * 86_400_000;
      await app.jobs.queue.add(removeEndedJobs.kind, 'now', {});
      run();
      await until(
        'the record is removed',
        async () => (await app.jobs.queue.list({ kinds: KINDS, limit: 1 })).length === 0,
      );
    } finally {
      Date.now = clock;
    }
    await processUpload.addMissing!({ ...app, records: { ...app.records, uploadBacklog: new UploadBacklog(app) } });
    assert.deepEqual(await app.jobs.queue.list({ kinds: KINDS, limit: 1 }), []);
    await isProcessedAfterRetry(/^its job was cancelled$/);
  });

  itOnce('has failed soon after the store was away when its job was cancelled', async () => {
    const { app } = started;
    await stream.upload({ 'new.mrc': marc('1') });
    await app.jobs.uploadEnds.visit();
    const { put } = app.catalog;
    let refused = 0;
    try {
      app.catalog.put = async (kind, ...rest) => {
        if (kind !== 'upload-state') return put.call(app.catalog, kind, ...rest);
        refused += 1;
        throw new TidemarkError('unavailable', 'the store is away');
      };
      assert.equal((await post(`jobs/${JOB}/cancel`)).status, 200);
    } finally {
      app.catalog.put = put;
    }
    assert.ok(refused > 1);
    assert.equal((await show()).status, 'waiting');
    await app.jobs.uploadEnds.visit();
    await isProcessedAfterRetry(/^its job was cancelled$/);
  });

  for (const [when, earlier] of [
    ['its end was recorded', (started) => started.jobs.uploadEnds.recordMissed()],
    ['its end was not recorded', async () => {}],
  ] as const satisfies readonly (readonly [string, (app: StartedApp['app']) => Promise<void>])[]) {
    itOnce(`waits when a person retries it while ends are recorded that were missed, and ${when}`, async () => {
      const { app } = started;
      await stream.upload({ 'new.mrc': marc('1') });
      await (await openOther()).jobs.cancel(JOB);
      await earlier(app);
      const { jobs } = app;
      const { list } = jobs.queue;
      try {
        jobs.queue.list = async (filter) => {
          const listed = await list.call(jobs.queue, filter);
          jobs.queue.list = list;
          assert.equal((await retry()).status, 200);
          return listed;
        };
        await app.jobs.uploadEnds.recordMissed();
      } finally {
        jobs.queue.list = list;
      }
      assert.equal((await jobs.queue.get(JOB)).state, 'queued');
      const { status, failure } = await show();
      assert.deepEqual([status, failure?.retries], ['waiting', true]);
    });
  }

  itOnce('is as it was when that has ended', async () => {
    await stream.process(await stream.upload({ 'deleted.txt': '1\n2\n' }));
    assert.equal((await show()).status, 'processed');
    // Its job still waits, and finds nothing to do.
    assert.equal((await post(`jobs/${JOB}/cancel`)).status, 200);
    const { status, failure } = await show();
    assert.deepEqual([status, failure], ['processed', undefined]);
  });
});
