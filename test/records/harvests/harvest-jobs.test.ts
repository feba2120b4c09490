import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import pino from 'pino';
import { type RunningJobs, runJobs } from '../../../src/cli/serving/run-jobs.ts';
import { harvestJob } from '../../../src/jobs/kinds/harvest.ts';
import { Scheduler } from '../../../src/jobs/scheduler.ts';
import { HarvestRecord } from '../../../src/records/collections/harvest-record.ts';
import type { HarvestRun } from '../../../src/records/collections/harvest-run.ts';
import { SQLITE } from '../../support/each-store.ts';
import { type FileServer, startFileServer } from '../../support/file-server.ts';
import { HARVESTING, HarvestedCollection } from '../../support/harvests.ts';
import { OaiServer, oaiRecords } from '../../support/oai-server.ts';
import { closeApps, type StartedApp, startApp } from '../../support/start-app.ts';
import { until } from '../../support/until.ts';

describe('the jobs of harvests', () => {
  let server: OaiServer;
  let started: StartedApp;
  let jobs: RunningJobs | undefined;
  let receiver: FileServer | undefined;

  beforeEach(async () => {
    server = await OaiServer.start({ records: oaiRecords(25), pageSize: 10 });
    started = await startApp(SQLITE, { ...HARVESTING, jobLeaseMs: 1_000 });
  });
  afterEach(async () => {
    await jobs?.stop();
    jobs = undefined;
    await closeApps();
    await server.close();
    await receiver?.close();
    receiver = undefined;
  });

  const work = () => {
    jobs = runJobs(started.app, pino({ level: 'silent' }));
  };
  const ended = (number: number): Promise<HarvestRun> =>
    until(`run ${number} has ended`, async () => {
      const [run] = await started.app.records.harvestRuns.list('arxiv', { limit: 1, before: number + 1 });
      return run?.number === number && run.state === 'ended' && run;
    });

  it('make one run of a collection after the other, with its upload', async () => {
    const collection = await HarvestedCollection.make(started.app, server);
    const { harvestRuns } = started.app.records;
    for (const kind of ['incremental', 'full'] as const) await harvestRuns.queue('arxiv', { kind }, { by: 'request' });
    work();
    const [first, second] = [await ended(1), await ended(2)];

    assert.deepEqual([first.status, second.status, second.outcome?.unchanged], [2, 2, 25]);
    assert.ok(second.started! >= first.ended!);
    assert.equal((await collection.ids()).length, 25);
  });

  it('fail with a run that has failed, and end one whose job was cancelled', async () => {
    await HarvestedCollection.make(started.app, server);
    const { records, jobs: added } = started.app;
    server.change({ fault: { name: 'html' } });
    const failing = await records.harvestRuns.queue('arxiv', { kind: 'full' }, { by: 'request' });
    const cancelled = await records.harvestRuns.queue('arxiv', { kind: 'full' }, { by: 'request' });
    await added.cancel(cancelled.job!);
    work();
    assert.match((await ended(1)).failure!, /DOCTYPE/);
    await until('its job has failed', async () => (await added.queue.get(failing.job!)).state === 'failed');
    assert.deepEqual([(await ended(2)).status, (await ended(2)).failure], [4, 'its job was cancelled']);
  });

  it('continue the run of a command whose process has ended', async () => {
    await HarvestedCollection.make(started.app, server);
    const { catalog } = started.app;
    const beat = { worker: 'elsewhere:1', leaseMs: 100, beats: 3 };
    const left = { kind: 'incremental', trigger: { by: 'command' }, state: 'running', beat } as const;
    const { run } = await HarvestRecord.add(catalog, 'arxiv', { runOf: () => left });
    await until('a job has it', async () => {
      await harvestJob.addMissing!(started.app);
      return (await started.app.records.harvestRuns.get(run)).job !== undefined;
    });
    work();
    const { status, job } = await ended(1);
    assert.deepEqual([status, job], [2, 'harvest/arxiv~1']);
  });

  it('send the message of a run again until it is accepted, once', async () => {
    const answers = [503];
    receiver = await startFileServer((_: IncomingMessage, response) => {
      response.writeHead(answers.shift() ?? 204).end();
    });
    const collection = await HarvestedCollection.make(started.app, server, { message: receiver.url });
    await collection.run();
    work();
    const { message } = await until('it is accepted', async () => {
      const run = await started.app.records.harvestRuns.get({ collection: 'arxiv', number: 1 });
      return run.message?.accepted !== undefined && run;
    });
    assert.deepEqual([message?.attempts, receiver.requests.length], [2, 2]);
  });

  it('are added by both schedules of a collection, also at the same time', async () => {
    const { app } = started;
    await HarvestedCollection.make(app, server, { schedule: '30 2 * * *', fullSchedule: '30 2 * * *' });
    const now = Date.now() + 86_400_000;
    await new Scheduler({ definitions: [harvestJob], parts: app, now: () => now }).addDue();
    const added = await app.jobs.queue.list({ kinds: ['harvest'], limit: 10 });
    assert.deepEqual(
      added.map(({ payload }) => payload).toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))),
      [
        { collection: 'arxiv', kind: 'full' },
        { collection: 'arxiv', kind: 'incremental' },
      ],
    );
    work();
    assert.deepEqual(new Set([(await ended(1)).kind, (await ended(2)).kind]), new Set(['full', 'incremental']));
  });
});
