import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { originOfRoot } from '../../src/core/stored-set.ts';
import { JOB_DEFINITIONS } from '../../src/jobs/job-list.ts';
import { JobRunner } from '../../src/jobs/job-runner.ts';
import { Scheduler } from '../../src/jobs/scheduler.ts';
import { sync } from '../../src/sources/sync/sync.ts';
import { ask, askJson, JSON_BODY } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';
import { pageAt } from '../support/web-source.ts';

describeOnEachStore('Dumps that jobs build', (store) => {
  let started: StartedApp;
  let runner: JobRunner | undefined;
  let root: string;

  beforeEach(async () => {
    started = await startApp(store, { timeZone: 'Asia/Kolkata' });
    root = join(started.folder, 'files');
    await mkdir(root);
    for (let at = 0; at < 5; at++) await writeFile(join(root, `file${at}`), `${at}`);
    await started.app.sets.add({ slug: 'maps', origin: originOfRoot(root), pageEntries: 2 });
    await scan();
  });
  afterEach(async () => {
    await runner?.stop();
    runner = undefined;
    await closeApps();
  });

  async function scan(): Promise<void> {
    const { app } = started;
    const set = await app.sets.bySlug('maps');
    await sync({ set, source: app.sourceOf(set), updater: app.updater });
    await app.sets.markReady('maps');
  }

  const change = (settings: object) =>
    ask(`${started.url}/api/sets/maps`, { method: 'PATCH', body: JSON.stringify(settings), headers: JSON_BODY });

  function runJobs(): void {
    const worker = { name: 'tester', leaseMs: 30_000 };
    runner = new JobRunner({ definitions: JOB_DEFINITIONS, parts: started.app, worker, concurrency: 2 });
    runner.start();
  }

  const dumpJobs = async () => (await askJson(`${started.url}/api/jobs?kind=build-dump`)).body.jobs;
  const done = () =>
    until('the job is done', async () => {
      const jobs: { state: string }[] = await dumpJobs();
      return jobs.length > 0 && jobs.every(({ state }) => state === 'done');
    });

  it('are built at the times of a setting of the set, which the page of jobs lists', async () => {
    assert.equal((await change({ dumpSchedule: '0 * * * *' })).status, 200);
    assert.equal((await askJson(`${started.url}/api/sets/maps`)).body.dumpSchedule, '0 * * * *');
    const { scheduled } = (await askJson(`${started.url}/api/jobs`)).body;
    const { next, ...listed } = scheduled.find(({ set }: { set?: string }) => set === 'maps');
    assert.deepEqual(listed, { kind: 'build-dump', set: 'maps', schedule: '0 * * * * (Asia/Kolkata)' });
    assert.match(
      await pageAt(`${started.url}/jobs`),
      /build-dump(?:.|\n)*maps(?:.|\n)*0 \* \* \* \* \(Asia\/Kolkata\)/,
    );

    runJobs();
    const scheduler = new Scheduler({
      definitions: JOB_DEFINITIONS,
      parts: started.app,
      now: () => Math.max(Date.now(), Date.parse(next)),
    });
    await scheduler.addDue();
    await done();
    const [job] = await dumpJobs();
    const id = new Date(next).toISOString().replaceAll(/[-:]|\.000/g, '');
    assert.equal(job.name, `build-dump/maps.${id}`);
    const { at: _, ...result } = job.result;
    assert.deepEqual(result, { set: 'maps', made: 3, packages: 3, resources: 5, missing: 0, bytes: result.bytes });
    assert.deepEqual(job.progress, { done: 3, total: 3, text: 'pages' });
    assert.equal((await ask(`${started.url}/sets/maps/resourcedump.xml`)).status, 200);

    assert.equal((await change({ dumpSchedule: null })).status, 200);
    const after = (await askJson(`${started.url}/api/jobs`)).body.scheduled;
    assert.ok(after.every(({ set }: { set?: string }) => set === undefined));
  });

  it('are not scheduled at what is no time, nor of a set whose bytes are elsewhere', async () => {
    await started.app.sets.add({ slug: 'posted', urlPrefix: 'https://data.example.org/' });
    for (const [pattern, message] of [
      ['nightly', /dumpSchedule is wrong: "nightly" is not a time: use minute, hour/],
      ['60 3 * * *', /Invalid value for minute: 60/],
      ['0 0 30 2 *', /that time never comes/],
      ['0 3 * * * *', /use minute, hour/],
      ['? * * * *', /use minute, hour/],
    ] as const) {
      const { status, text } = await change({ dumpSchedule: pattern });
      assert.equal(status, 400, pattern);
      assert.match(JSON.parse(text).error.message, message);
    }
    const url = `${started.url}/api/sets/posted`;
    const { status, text } = await ask(url, {
      method: 'PATCH',
      body: '{"dumpSchedule":"0 3 * * *"}',
      headers: JSON_BODY,
    });
    assert.equal(status, 400);
    assert.match(JSON.parse(text).error.message, /--dump needs a set with --root or --records/);
  });
});
