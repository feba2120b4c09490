import assert from 'node:assert/strict';
import { JOB_DEFINITIONS } from '../../src/jobs/job-list.ts';
import { JobRunner } from '../../src/jobs/job-runner.ts';
import { ask, askJson } from '../support/ask.ts';
import { onElasticsearch } from '../support/each-store.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { file, postForm } from '../support/multipart.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';
import { marc } from '../support/upload-packages.ts';

const UPLOADS = 4;
/** Of one upload of one record, from its first byte until it is published, without those of clients that poll. */
const MOST_REQUESTS = 47;
const LONGEST_MS = 10_000;

describe('An upload of one record (on Elasticsearch) (135)', () => {
  const store = onElasticsearch(useElasticsearch());
  let started: StartedApp;
  let runner: JobRunner;

  beforeEach(async () => {
    started = await startApp(store);
    await started.app.records.organizations.add('lane', { contacts: [] });
    const worker = { name: 'tester', leaseMs: 30_000 };
    runner = new JobRunner({ definitions: JOB_DEFINITIONS, parts: started.app, worker, concurrency: 2 });
    runner.start();
  });

  afterEach(async () => {
    await runner.stop();
    await closeApps();
  });

  const get = (path: string) => ask(`${started.url}${path}`);

  async function requests(): Promise<number> {
    const { text } = await get('/metrics');
    return Number(/^tidemark_store_requests_total\{outcome="answered"\} (\d+)/m.exec(text)![1]);
  }

  async function send(number: number): Promise<void> {
    const sent = await postForm(`${started.url}/api/organizations/lane/uploads`, [
      file('a.mrc', `${marc(`${number}`)}`),
    ]);
    assert.equal(sent.status, 201, sent.text);
  }

  async function isProcessed(number: number): Promise<boolean> {
    return (await askJson(`${started.url}/api/organizations/lane/uploads/main/${number}`)).body.status === 'processed';
  }

  it('takes few requests', async () => {
    const ended = async (number: number) =>
      (await started.app.jobs.queue.get(`process-upload/lane~main~${number}`)).state;
    await send(1);
    await until('the first one is processed', async () => (await ended(1)) === 'done');
    let polls = 0;
    const before = await requests();
    for (let number = 2; number <= 1 + UPLOADS; number++) {
      await send(number);
      await until('it is processed', async () => {
        polls += 1;
        return (await ended(number)) === 'done';
      });
    }
    const each = ((await requests()) - before - polls) / UPLOADS;
    assert.ok(each <= MOST_REQUESTS, `${each} requests`);
  });

  it('waits no longer than ten seconds while six clients poll', async () => {
    await send(1);
    const polling = new AbortController();
    const paths = ['/organizations/lane/', '/api/organizations/lane/uploads', '/metrics', '/organizations/', '/sets/'];
    const clients = [...paths, '/sets/lane/resourcelist.xml'].map(async (path) => {
      while (!polling.signal.aborted) await get(path);
    });
    try {
      for (let number = 2; number <= 1 + UPLOADS; number++) {
        const began = performance.now();
        await send(number);
        await until('it is processed', () => isProcessed(number));
        const tookMs = performance.now() - began;
        assert.ok(tookMs <= LONGEST_MS, `upload ${number} took ${tookMs} ms`);
      }
    } finally {
      polling.abort();
      await Promise.all(clients);
    }
  });
});
