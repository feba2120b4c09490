import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { JOB_DEFINITIONS } from '../../src/jobs/job-list.ts';
import { JobRunner } from '../../src/jobs/job-runner.ts';
import { ask, askJson } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { type FileServer, startFileServer } from '../support/file-server.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';
import { marc } from '../support/upload-packages.ts';

describe('An upload by URL whose server does not send the file (135)', () => {
  let started: StartedApp;
  let server: FileServer;
  let runner: JobRunner | undefined;
  let answer: (response: ServerResponse) => void;

  beforeEach(async () => {
    server = await startFileServer((_, response) => answer(response));
  });

  afterEach(async () => {
    await runner?.stop();
    runner = undefined;
    await closeApps();
    await server.close();
  });

  async function start(uploadFetchRetryMs: number): Promise<void> {
    started = await startApp(SQLITE, { uploadNetworks: ['127.0.0.0/8'], uploadFetchRetryMs });
    await started.app.records.organizations.add('lane', { contacts: [] });
    const worker = { name: 'tester', leaseMs: 30_000 };
    runner = new JobRunner({ definitions: JOB_DEFINITIONS, parts: started.app, worker, concurrency: 1 });
    runner.start();
  }

  const at = (path: string) => `${started.url}/api/organizations/lane/uploads${path}`;
  const post = () => askJson(at(''), { url: `${server.url}/a.mrc` });
  const show = async () => (await askJson(at('/main/1'))).body;
  const reaches = (status: string) => until(`it is ${status}`, async () => (await show()).status === status);
  const failed = () => until('it has failed once', async () => (await show()).failure);

  it('shows when the next attempt is, not before Retry-After, and is tried at once when a user wants that', async () => {
    await start(3_600_000);
    answer = (response) => response.writeHead(503, { 'Retry-After': '1800' }).end();
    await post();
    const { at: failedAt, nextAt, retries } = await failed();
    assert.equal(retries, true);
    const minutes = (Date.parse(nextAt) - Date.parse(failedAt)) / 60_000;
    assert.ok(minutes > 29.9 && minutes < 30.1, `${minutes} minutes`);
    const page = await ask(`${started.url}/organizations/lane/streams/main/uploads/1/`);
    assert.match(page.text, /the server answered 503\. The next attempt is at <time/);
    await until('its job waits', async () => (await started.app.jobs.queue.get('process-upload/lane~main~1')).wait);
    assert.deepEqual(server.requests, ['/a.mrc']);
    await started.app.jobs.queue.retry('process-upload/lane~main~1');
    await until('its job was retried', async () => server.requests.length === 2);
    await until(
      'its job waits again',
      async () => (await started.app.jobs.queue.get('process-upload/lane~main~1')).wait,
    );
    answer = (response) => response.end(marc('1'));
    const retried = await ask(at('/main/1/retry'), { method: 'POST' });
    assert.equal(retried.status, 200);
    assert.equal(JSON.parse(retried.text).failure?.nextAt, undefined);
    await reaches('processed');
    assert.equal((await show()).failure, undefined);
  });

  it('fails when the time is over, and its URL is tried at the end of it once more', async () => {
    await start(700);
    answer = (response) => response.writeHead(503, { 'Retry-After': '1800' }).end();
    await post();
    await reaches('failed');
    assert.equal(server.requests.length, 2);
    const { failure } = await show();
    assert.deepEqual([failure.retries, failure.nextAt], [false, undefined]);
  });

  it('fails at once when another attempt cannot help', async () => {
    await start(3_600_000);
    answer = (response) => response.writeHead(404).end();
    await post();
    await reaches('failed');
    assert.equal(server.requests.length, 1);
  });
});
