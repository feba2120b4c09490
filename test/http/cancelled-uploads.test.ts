import assert from 'node:assert/strict';
import { JOB_DEFINITIONS } from '../../src/jobs/job-list.ts';
import { JobRunner } from '../../src/jobs/job-runner.ts';
import { ask, askJson } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';
import { ProcessedStream } from '../support/upload-processing.ts';

const JOB = 'process-upload/lane~main~1';

describe('an upload whose job is cancelled', () => {
  let started: StartedApp;
  let stream: ProcessedStream;
  let runner: JobRunner | undefined;
  beforeEach(async () => {
    started = await startApp(SQLITE);
    stream = await ProcessedStream.make(started.app);
  });
  afterEach(async () => {
    await runner?.stop();
    await closeApps();
  });

  const show = async () => (await askJson(`${started.url}/api/organizations/lane/uploads/main/1`)).body;
  const post = (path: string) => ask(`${started.url}/api/${path}`, { method: 'POST' });

  it('has failed, with the reason, and is processed when a person retries it', async () => {
    await stream.upload({ 'deleted.txt': '1\n2\n' });
    assert.equal((await post(`jobs/${JOB}/cancel`)).status, 200);
    const { status, failure } = await show();
    assert.deepEqual([status, failure.error, failure.retries], ['failed', 'its job was cancelled', false]);

    const retried = await post('organizations/lane/uploads/main/1/retry');
    assert.equal(retried.status, 200, retried.text);
    const worker = { name: 'tester', leaseMs: 30_000 };
    runner = new JobRunner({ definitions: JOB_DEFINITIONS, parts: started.app, worker, concurrency: 2 });
    runner.start();
    await until('it is processed', async () => (await show()).status === 'processed');
    assert.equal((await show()).failure, undefined);
  });

  it('is as it was when that has ended', async () => {
    await stream.process(await stream.upload({ 'deleted.txt': '1\n2\n' }));
    assert.equal((await show()).status, 'processed');
    // Its job still waits, and finds nothing to do.
    assert.equal((await post(`jobs/${JOB}/cancel`)).status, 200);
    const { status, failure } = await show();
    assert.deepEqual([status, failure], ['processed', undefined]);
  });
});
