import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatKey } from '../../src/artifacts/artifact-key.ts';
import { packagesFolder } from '../../src/artifacts/keys/set-keys.ts';
import { originOfRoot } from '../../src/core/stored-set.ts';
import { JOB_DEFINITIONS } from '../../src/jobs/job-list.ts';
import { JobRunner } from '../../src/jobs/job-runner.ts';
import { Scheduler } from '../../src/jobs/scheduler.ts';
import { NO_DUMP, putDump, readDump } from '../../src/publish/dumps/stored-dump.ts';
import { sync } from '../../src/sources/sync/sync.ts';
import { openStores } from '../../src/stores/open-stores.ts';
import { ask, askJson, JSON_BODY } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { keptVersions } from '../support/kept-versions.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { LONG_AGO } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { pageAt } from '../support/web-source.ts';

describeOnEachStore('Dumps that jobs build', (store, itOnce) => {
  let started: StartedApp;
  let runner: JobRunner | undefined;
  /** A set and a folder of its own for each test. */
  let slug: string;
  let root: string;
  let tests = 0;

  before(async () => {
    started = await startApp(store, { timeZone: 'Asia/Kolkata' });
  });
  after(closeApps);

  beforeEach(async () => {
    slug = `maps${++tests}`;
    root = join(started.folder, slug);
    await mkdir(root);
    for (let at = 0; at < 5; at++) await writeFile(join(root, `file${at}`), `${at}`);
    await started.app.sets.add({ slug, origin: originOfRoot(root), pageEntries: 2 });
    await scan();
  });
  afterEach(async () => {
    await runner?.stop();
    runner = undefined;
  });

  async function scan(): Promise<void> {
    const { app } = started;
    const set = await app.sets.bySlug(slug);
    await sync({ set, source: app.sources.sourceOf(set), updater: app.updater });
    await app.sets.markReady(slug);
  }

  const change = (settings: object) =>
    ask(`${started.url}/api/sets/${slug}`, { method: 'PATCH', body: JSON.stringify(settings), headers: JSON_BODY });

  function runJobs(): void {
    const worker = { name: 'tester', leaseMs: 30_000 };
    runner = new JobRunner({ definitions: JOB_DEFINITIONS, parts: started.app, worker, concurrency: 2 });
    runner.start();
  }

  const dumpJobs = async () => {
    const { jobs } = (await askJson(`${started.url}/api/jobs?kind=build-dump`)).body;
    return jobs.filter(({ payload }: { payload: { set: string } }) => payload.set === slug);
  };
  const done = () =>
    until('the job is done', async () => {
      const jobs: { state: string }[] = await dumpJobs();
      return jobs.length > 0 && jobs.every(({ state }) => state === 'done');
    });

  it('wait while another process builds the same dump, however often', async () => {
    const { app } = started;
    const { id } = await app.sets.bySlug(slug);
    const other = await openStores(app.configuration.store);
    const { put } = app.catalog;
    let isBuilding = true;
    // Another process records what it has made just before this one does.
    app.catalog.put = async (kind, ...rest) => {
      if (kind === 'dump' && isBuilding) {
        const stored = await readDump(other.catalog, id);
        await putDump(other.catalog, id, { body: stored?.body ?? NO_DUMP, replaces: stored?.version });
      }
      return put.call(app.catalog, kind, ...rest);
    };
    try {
      await askJson(`${started.url}/api/sets/${slug}/dump/build`, {});
      const [job] = await dumpJobs();
      const name = `build-dump/${job.id}`;
      runJobs();
      let since = 0;
      for (let times = 1; times <= 6; times++) {
        const waiting = await until('it waits', async () => {
          const found = await app.jobs.queue.get(name);
          return found.state === 'queued' && (found.wait?.since ?? 0) > since && found;
        });
        const { attempts, wait: waits } = waiting;
        since = waits!.since;
        assert.equal(attempts, 0);
        assert.match(waits!.reason, /^another process is building the dump of "maps\d"/);
        // Before the last attempt: after one more conflict, the job would wait for more than a minute.
        isBuilding = times < 6;
        await app.jobs.queue.retry(name);
      }
      await done();
    } finally {
      app.catalog.put = put;
      await other.close();
    }
  });

  itOnce('are built at the times of a setting of the set, which the page of jobs lists', async () => {
    assert.equal((await change({ dumpSchedule: '0 * * * *' })).status, 200);
    assert.equal((await askJson(`${started.url}/api/sets/${slug}`)).body.dumpSchedule, '0 * * * *');
    const { scheduled } = (await askJson(`${started.url}/api/jobs`)).body;
    const { next, ...listed } = scheduled.find(({ set }: { set?: string }) => set === slug);
    assert.deepEqual(listed, { kind: 'build-dump', set: slug, schedule: '0 * * * * (Asia/Kolkata)' });
    assert.match(
      await pageAt(`${started.url}/jobs`),
      /build-dump(?:.|\n)*maps\d(?:.|\n)*0 \* \* \* \* \(Asia\/Kolkata\)/,
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
    assert.equal(job.name, `build-dump/${slug}.${id}`);
    const { at: _, ...result } = job.result;
    assert.deepEqual(result, { set: slug, made: 3, packages: 3, resources: 5, missing: 0, bytes: result.bytes });
    assert.deepEqual(job.progress, { done: 3, total: 3, text: 'pages' });
    assert.equal((await ask(`${started.url}/sets/${slug}/resourcedump.xml`)).status, 200);

    assert.equal((await change({ dumpSchedule: null })).status, 200);
    const after = (await askJson(`${started.url}/api/jobs`)).body.scheduled;
    assert.ok(after.every(({ set }: { set?: string }) => set !== slug));
  });

  const dumpOf = (query = '') => askJson(`${started.url}/api/sets/${slug}/dump${query}`);
  const post = (path: string) => ask(`${started.url}${path}`, { method: 'POST' });

  itOnce('are built, listed and removed by the API', async () => {
    assert.equal((await dumpOf()).status, 404);
    const asked = await post(`/api/sets/${slug}/dump/build`);
    assert.equal(asked.status, 202);
    const job = JSON.parse(asked.text);
    assert.deepEqual([job.kind, job.state, job.payload], ['build-dump', 'queued', { set: slug }]);
    // It waits until a process runs jobs; another one would do nothing.
    assert.equal(JSON.parse((await post(`/api/sets/${slug}/dump/build`)).text).name, job.name);
    const { href } = new URL(asked.headers.location!, `${started.url}/api/sets/${slug}/dump/build`);
    assert.equal((await askJson(href)).body.name, job.name);

    runJobs();
    await done();
    const { body } = await dumpOf();
    assert.deepEqual(body.totals, { packages: 3, resources: 5, missing: 0, bytes: body.totals.bytes });
    assert.equal(body.packages.length, 3);
    for (const { uri, contents, length, sha256 } of body.packages) {
      const { bytes } = await ask(uri);
      assert.deepEqual([bytes.length, createHash('sha256').update(bytes).digest('hex')], [length, sha256]);
      assert.match((await ask(contents)).text, /capability="resourcedump-manifest"/);
    }
    const names: string[] = [];
    for (let after: string | undefined = ''; after !== undefined; ) {
      const { body: part } = await dumpOf(`?limit=2${after === '' ? '' : `&after=${after}`}`);
      names.push(...part.packages.map(({ name }: { name: string }) => name));
      after = part.next;
    }
    assert.deepEqual(
      names,
      body.packages.map(({ name }: { name: string }) => name),
    );

    assert.deepEqual(JSON.parse((await post(`/api/sets/${slug}/dump/remove`)).text), { set: slug, removed: 3 });
    assert.equal((await dumpOf()).status, 404);
    assert.equal((await ask(body.packages[0].uri)).status, 404);
    assert.deepEqual(JSON.parse((await post(`/api/sets/${slug}/dump/remove`)).text), { set: slug, removed: 0 });
  });

  itOnce('are shown on the page of the set, with a button for administrators', async () => {
    const page = () => pageAt(`${started.url}/sets/${slug}/`);
    assert.match(await page(), /None was built/);
    assert.match(await page(), /action="\.\/dump\/build"/);
    const { status, headers } = await post(`/sets/${slug}/dump/build`);
    assert.deepEqual([status, headers.location], [303, '../#dump']);
    assert.match(await page(), /build-dump\/maps\d\.\S+<\/a> <span class="state quiet">queued/);
    assert.doesNotMatch(await page(), /action="\.\/dump\/build"/);
    runJobs();
    await done();
    assert.match(await page(), />3 packages<\/a>, \S+ \w*B</);
    await rm(root, { recursive: true });
    await started.app.sets.change(slug, { pageEntries: 3 });
    const waiting = JSON.parse((await post(`/api/sets/${slug}/dump/build`)).text).name;
    await until('it has failed once', async () => (await started.app.jobs.queue.get(waiting)).attempts > 0);
    await runner?.stop();
    // The button runs at once what waits until it is tried again.
    await until('it waits', async () => (await started.app.jobs.queue.get(waiting)).state === 'queued');
    await post(`/sets/${slug}/dump/build`);
    assert.equal((await started.app.jobs.queue.get(waiting)).notBefore, 0);
  });

  itOnce('of a set whose bytes are elsewhere are refused, and not offered', async () => {
    await started.app.sets.add({ slug: 'posted', urlPrefix: 'https://data.example.org/' });
    for (const path of ['/api/sets/posted/dump/build', '/sets/posted/dump/build']) {
      const { status, text } = await post(path);
      assert.equal(status, 409);
      assert.match(text, /--root, --records or --from/);
    }
    for (const path of ['dump', 'change-dump']) {
      const { status, text } = await ask(`${started.url}/api/sets/posted/${path}`);
      assert.equal(status, 404);
      assert.match(text, /the bytes of \\"posted\\" are elsewhere, so there is nothing to pack/);
    }
    assert.doesNotMatch(await pageAt(`${started.url}/sets/posted/`), /id="dump"/);
  });

  itOnce('leave nothing behind, superseded a day ago or of a removed set', async () => {
    const { dumps } = started.app.publishing;
    const { sets, artifacts } = started.app;
    const packagesOf = async ({ id }: { id: number }) =>
      (await artifacts.objects(packagesFolder(id))).map(({ key }) => key);
    const maps = await sets.bySlug(slug);
    await dumps.build(slug, {});
    const [old = ''] = await packagesOf(maps);
    await writeFile(join(root, 'file0'), 'changed');
    await scan();
    await dumps.build(slug, {});
    const { signal } = new AbortController();
    assert.equal(await dumps.removeUnused(signal), 0);
    assert.equal((await packagesOf(maps)).length, 4);

    const left = formatKey({ kind: 'package', set: maps.id, name: '1-00000001-2-1-0a1b2c3d' });
    await artifacts.put(left, [Buffer.from('of a build that was killed')]);
    for (const key of [left, old]) await utimes(join(started.folder, 'artifacts', key), LONG_AGO, LONG_AGO);
    assert.equal(await dumps.removeUnused(signal), 1);
    assert.ok(!(await packagesOf(maps)).includes(left));

    await sets.remove(slug);
    runJobs();
    const added = await started.app.jobs.queue.add('remove-old-packages', 'now', {});
    assert.ok(added);
    await until(
      'it is done',
      async () => (await started.app.jobs.queue.get('remove-old-packages/now')).state === 'done',
    );
    assert.deepEqual(await packagesOf(maps), []);
  });

  itOnce('leave no kept versions of a removed set, and all of the others', async () => {
    const { sourceOf } = started.app.sources;
    const { sets, artifacts, jobs, updater } = started.app;
    for (const name of ['removed', 'present']) {
      await sets.add({ slug: name, origin: originOfRoot(root), keepVersions: true });
      const set = await sets.bySlug(name);
      await sync({ set, source: sourceOf(set), updater });
    }
    const [removed, present] = [await sets.bySlug('removed'), await sets.bySlug('present')];
    const versionsOf = async ({ id }: { id: number }) => (await keptVersions(artifacts, id)).length;
    assert.deepEqual([await versionsOf(removed), await versionsOf(present)], [5, 5]);
    // As a process does that ends before it has removed them.
    await sets.remove('removed');
    runJobs();
    await jobs.queue.add('remove-old-packages', 'versions', {});
    const job = () => jobs.queue.get('remove-old-packages/versions');
    await until('it is done', async () => (await job()).state === 'done');
    assert.deepEqual([await versionsOf(removed), await versionsOf(present)], [0, 5]);
  });

  itOnce('are not scheduled at what is not a time, nor of a set whose bytes are elsewhere', async () => {
    await started.app.sets.add({ slug: 'elsewhere', urlPrefix: 'https://data.example.org/' });
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
    const url = `${started.url}/api/sets/elsewhere`;
    const { status, text } = await ask(url, {
      method: 'PATCH',
      body: '{"dumpSchedule":"0 3 * * *"}',
      headers: JSON_BODY,
    });
    assert.equal(status, 400);
    assert.match(JSON.parse(text).error.message, /--dump needs a set with --root, --records or --from/);
  });
});
