import assert from 'node:assert/strict';
import { mkdir, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { JOB_DEFINITIONS } from '../../src/jobs/job-list.ts';
import { JobRunner } from '../../src/jobs/job-runner.ts';
import { askJson } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';
import { marc } from '../support/upload-packages.ts';
import { ProcessedStream } from '../support/upload-processing.ts';

const JOB = 'process-upload/lane~main~1';

describe('an upload while the artifact store is away', () => {
  let started: StartedApp;
  let stream: ProcessedStream;
  let runner: JobRunner;

  beforeEach(async () => {
    started = await startApp(SQLITE, { uploadRetries: 0 });
    stream = await ProcessedStream.make(started.app);
    await stream.upload({ 'new.mrc': marc('1') });
    await rename(at('artifacts'), at('elsewhere'));
    const worker = { name: 'tester', leaseMs: 30_000 };
    runner = new JobRunner({ definitions: JOB_DEFINITIONS, parts: started.app, worker, concurrency: 2 });
  });
  afterEach(async () => {
    await runner.stop();
    await closeApps();
  });

  const at = (name: string) => join(started.folder, name);
  const job = () => started.app.jobs.queue.get(JOB);
  const show = async () => (await askJson(`${started.url}/api/organizations/lane/uploads/main/1`)).body;

  const AWAY = [
    // A link to itself is as unusable as a disk that fails.
    { title: 'answers with errors', away: () => symlink(at('artifacts'), at('artifacts')), says: /cannot be read/ },
    { title: 'is a folder that is not mounted', away: () => mkdir(at('artifacts')), says: /there is no _uploads/ },
  ];
  for (const { title, away, says } of AWAY) {
    it(`waits, which is no attempt, and is processed when it is back: it ${title}`, async () => {
      await away();
      runner.start();
      for (const round of [1, 2]) {
        const { wait } = await until('it waits', async () => {
          const now = await job();
          return now.state === 'queued' && now.wait !== undefined && now;
        });
        assert.match(wait!.reason, says);
        const { status, failure } = await show();
        assert.equal(status, 'waiting');
        assert.match(failure.error, /the artifact store is unavailable for now, and the upload waits for it/);
        assert.equal(failure.retries, true);
        assert.equal((await job()).attempts, 0);
        if (round === 1) await started.app.jobs.queue.retry(JOB);
      }
      await rm(at('artifacts'), { recursive: true });
      await rename(at('elsewhere'), at('artifacts'));
      await started.app.jobs.queue.retry(JOB);
      await until('it is processed', async () => (await show()).status === 'processed');
      assert.equal((await show()).failure, undefined);
      assert.deepEqual(await stream.changes(), ['created 1']);
    });
  }
});

describe('jobs while the artifact store is away', () => {
  let started: StartedApp;
  let runner: JobRunner;

  beforeEach(async () => {
    started = await startApp(SQLITE);
    const stream = await ProcessedStream.make(started.app);
    await stream.process(await stream.upload({ 'new.mrc': marc('1') }));
    const worker = { name: 'tester', leaseMs: 30_000 };
    runner = new JobRunner({ definitions: JOB_DEFINITIONS, parts: started.app, worker, concurrency: 2 });
  });
  afterEach(async () => {
    await runner.stop();
    await closeApps();
  });

  const at = (name: string) => join(started.folder, name);
  const DUMP = { organization: 'lane', stream: 'main', kind: 'full' };
  const JOBS = [
    { kind: 'archive-log', payload: {} },
    { kind: 'build-dump', payload: { set: 'lane--main' } },
    { kind: 'build-stream-dump', payload: DUMP },
    { kind: 'keep-list', payload: { set: 'lane--main' } },
    { kind: 'remove-abandoned-uploads', payload: {} },
    { kind: 'remove-old-packages', payload: {} },
    { kind: 'remove-unfinished-artifacts', payload: {} },
    { kind: 'remove-unused-lists', payload: {} },
    { kind: 'remove-unused-stream-dumps', payload: {} },
  ];

  async function waitsAndIsDone(
    { kind, payload }: { readonly kind: string; readonly payload: object },
    away: () => Promise<void>,
  ) {
    const name = `${kind}/one`;
    await rename(at('artifacts'), at('elsewhere'));
    await away();
    await started.app.jobs.queue.add(kind, 'one', payload);
    runner.start();
    const waiting = await until(`${kind} waits`, async () => {
      const job = await started.app.jobs.queue.get(name);
      return job.state !== 'running' && (job.state !== 'queued' || job.wait !== undefined) && job;
    });
    assert.equal(waiting.state, 'queued', waiting.error);
    assert.match(waiting.wait!.reason, /^the artifact store has to answer: /);
    assert.equal(waiting.attempts, 0);
    await rm(at('artifacts'), { recursive: true });
    await rename(at('elsewhere'), at('artifacts'));
    await started.app.jobs.queue.retry(name);
    await until(`${kind} is done`, async () => (await started.app.jobs.queue.get(name)).state === 'done');
  }

  for (const job of JOBS) {
    it(`wait, which is no attempt: ${job.kind}`, () =>
      waitsAndIsDone(job, () => symlink(at('artifacts'), at('artifacts'))));
  }

  it('wait, which is no attempt: a dump that reads from a folder that is not mounted', () =>
    waitsAndIsDone({ kind: 'build-stream-dump', payload: DUMP }, async () => void (await mkdir(at('artifacts')))));
});
