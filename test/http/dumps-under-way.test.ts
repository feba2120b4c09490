import assert from 'node:assert/strict';
import { unlessConflict } from '../../src/core/errors.ts';
import { defineJob } from '../../src/jobs/job-definition.ts';
import { JobRunner } from '../../src/jobs/job-runner.ts';
import { buildStreamDump } from '../../src/jobs/kinds/build-stream-dump.ts';
import { jobOfUpload, processUpload } from '../../src/jobs/kinds/process-upload.ts';
import { UploadPause } from '../../src/records/arrivals/upload-pause.ts';
import { jobName } from '../../src/stores/job.ts';
import { ask, askJson, JSON_BODY } from '../support/ask.ts';
import { DUMPED, DumpedStream } from '../support/dumped-stream.ts';
import { SQLITE } from '../support/each-store.ts';
import { runTidemark } from '../support/run-tidemark.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';
import { marc } from '../support/upload-packages.ts';
import { pageAt } from '../support/web-source.ts';

const REASON = 'the upload lane/main/000000001 is being applied: a dump is made when all of it is';
const WAITS = new RegExp(`^waits, until \\d{4}-\\S+Z at most: ${REASON}$`);
/** A job of another kind. */
const TIDY = defineJob({
  kind: 'tidy',
  retry: { attempts: 1, firstMs: 1, longestMs: 1 },
  async run() {},
});

describe('A dump that waits for an upload', () => {
  let started: StartedApp;
  let runner: JobRunner;

  beforeEach(async () => {
    started = await startApp(SQLITE);
    const worker = { name: 'tester', leaseMs: 30_000 };
    const definitions = [buildStreamDump, processUpload, TIDY];
    runner = new JobRunner({ definitions, parts: started.app, worker, concurrency: 1 });
    await DumpedStream.make(started.app);
  });
  afterEach(async () => {
    await runner.stop();
    await closeApps();
  });

  /** Has it done now, as a person may, unless that has begun. */
  const retry = (job: string) => unlessConflict(started.app.jobs.queue.retry(job));

  it('is listed by API, page and command line, with the upload that it waits for', async () => {
    const { app, url, folder } = started;
    const stream = new DumpedStream(app, folder);
    const { commits, end } = await stream.uploads.begin(new Map([[stream.idOf(1), stream.documentOf(1, 0)]]));
    await commits[0]!();
    const dumps = `${url}/api/organizations/lane/dumps`;
    const listed = async () => (await askJson(`${dumps}?stream=main`)).body;
    const body = JSON.stringify({ kind: 'full', stream: 'main' });
    const job = JSON.parse((await ask(dumps, { method: 'POST', body, headers: JSON_BODY })).text);
    const [queued] = (await listed()).underWay;
    assert.deepEqual(queued, { kind: 'full', job: job.name, since: job.added });

    runner.start();
    await until('it says what it waits for', async () => {
      const { underWay } = await listed();
      return WAITS.test(underWay[0].text);
    });
    assert.deepEqual((await askJson(dumps)).body.underWay, [], 'no dump of the default stream is under way');
    const page = await pageAt(`${url}/organizations/lane/streams/main/`);
    assert.match(page, new RegExp(`Under way: a full dump, requested .*${REASON}`));
    const env = { TIDEMARK_STORE: `sqlite:${folder}/tidemark.db` };
    const { stdout } = await runTidemark(['streams', 'dumps', 'lane', '--stream', 'main'], { cwd: folder, env });
    assert.match(stdout, new RegExp(`^There is no dump\\.\nUnder way: a full dump, .*${REASON}\\): ${job.name}\n$`));

    await end();
    await retry(job.name);
    await until('the dump is made', async () => (await listed()).dumps.length === 1);
    await until('none is under way', async () => (await listed()).underWay.length === 0);
    assert.equal((await ask(`${url}/organizations/lane/streams/main/`)).status, 200);
  });

  const pauses = () => started.app.catalog.latest<{ readonly isOn: boolean }>('upload-pause', '');
  const jobOf = (name: string) => started.app.jobs.queue.get(name);
  async function requireTidying(id: string): Promise<void> {
    await started.app.jobs.queue.add(TIDY.kind, id, {});
    await until('another job is done', async () => (await jobOf(`tidy/${id}`)).state === 'done');
  }

  it('has other jobs done meanwhile, while later uploads wait for it', async () => {
    const { app, folder } = started;
    const stream = new DumpedStream(app, folder);
    const { commits, end } = await stream.uploads.begin(new Map([[stream.idOf(1), stream.documentOf(1, 0)]]));
    await commits[0]!();
    // Another process applies the upload.
    await app.jobs.queue.add(processUpload.kind, 'lane~main~1', { ...DUMPED, number: 1 });
    const worker = { name: 'another', leaseMs: 600_000 };
    const owned = (await app.jobs.queue.claimer({ kinds: [processUpload.kind], worker }).claim())!;
    runner.start();
    const dump = jobName(await app.jobs.streamDumps.add({ ...DUMPED, kind: 'full' }));
    const waiting = await until('it has given its place back', async () => {
      const job = await jobOf(dump);
      return job.state === 'queued' && job.wait !== undefined && job;
    });
    await requireTidying('a');
    assert.equal((await pauses())[0]!.body.isOn, true);
    const { url } = started;
    assert.equal((await askJson(`${url}/api/jobs?kind=${buildStreamDump.kind}`)).body.jobs[0].waits.reason, REASON);
    assert.match(await pageAt(`${url}/jobs`), new RegExp(`waits, until .* at most: ${REASON}`));
    assert.match(await pageAt(`${url}/jobs/${dump}`), new RegExp(`It waits, until .* at most: ${REASON}`));
    await until('it has checked again', async () => {
      const job = await jobOf(dump);
      return job.state === 'queued' && job.notBefore > waiting.notBefore;
    });
    await requireTidying('b');
    const { attempts, error, wait } = await jobOf(dump);
    assert.deepEqual(
      [attempts, error, wait],
      [0, undefined, waiting.wait],
      'no attempt counts, and it waits no longer',
    );
    assert.equal((await pauses())[0]!.body.isOn, true);

    await end();
    await owned.finish({ state: 'done', result: {} });
    await until('the dump is made', async () => (await jobOf(dump)).state === 'done');
    assert.equal((await pauses())[0]!.body.isOn, false);
  });

  it('lets uploads go on when it has waited for half an hour, and begins to wait again', async () => {
    const { app, folder } = started;
    const stream = new DumpedStream(app, folder);
    const { commits, end } = await stream.uploads.begin(new Map([[stream.idOf(1), stream.documentOf(1, 0)]]));
    await commits[0]!();
    const dump = jobName(await app.jobs.streamDumps.add({ ...DUMPED, kind: 'delta' }));
    // Another process has waited.
    const worker = { name: 'another', leaseMs: 600_000 };
    const { kind } = buildStreamDump;
    const owned = (await app.jobs.queue.claimer({ kinds: [kind], worker }).claim())!;
    const pause = await UploadPause.begin(app.catalog, { ...DUMPED, dumped: 'lane--main.dumps' });
    await pause.leave();
    const since = Date.now() - 1_800_000;
    await owned.finish({ state: 'given-back', wait: { since, reason: REASON, until: Date.now() - 1 } });
    runner.start();
    const { notBefore } = await until('it has checked', async () => {
      const job = await jobOf(dump);
      return job.state === 'queued' && job.wait?.until === undefined && job;
    });
    assert.ok(notBefore > Date.now() + 20_000, 'uploads have time');
    assert.equal((await pauses())[0]!.body.isOn, false);
    assert.match((await jobOf(dump)).wait!.reason, /is being applied: .* It waited 1800 s/);
    await app.jobs.queue.retry(dump);
    await until('it waits again', async () => ((await jobOf(dump)).wait?.until ?? 0) > Date.now() + 1_700_000);
    await end();
    await retry(dump);
    await until('the dump is made', async () => (await jobOf(dump)).state === 'done');
  });

  it('has other jobs done while uploads wait for it, which are then processed', async () => {
    const { app } = started;
    const pause = await UploadPause.begin(app.catalog, { ...DUMPED, dumped: 'lane--main.dumps' });
    const receiving = await app.records.uploads.begin('lane', 'main');
    await receiving.add('a.mrc', [marc('1')]);
    const { number } = await receiving.finish({ stream: 'main' });
    runner.start();
    const { kind, id, payload } = jobOfUpload({ ...DUMPED, number });
    await app.jobs.queue.add(kind, id, payload);
    await until('it has given its place back', async () => (await jobOf(`${kind}/${id}`)).wait !== undefined);
    await requireTidying('a');
    assert.deepEqual((await jobOf(`${kind}/${id}`)).wait!.reason, 'a dump of its stream has to begin');
    await pause.end();
    await until('it is processed', async () => (await jobOf(`${kind}/${id}`)).state === 'done');
  });
});
