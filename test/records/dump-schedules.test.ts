import assert from 'node:assert/strict';
import { JobRunner } from '../../src/jobs/job-runner.ts';
import { buildStreamDump } from '../../src/jobs/kinds/build-stream-dump.ts';
import { idOfTime } from '../../src/jobs/schedule.ts';
import { nextTimes, Scheduler } from '../../src/jobs/scheduler.ts';
import { readDumpFiles } from '../support/dump-consumer.ts';
import { DUMPED, DumpedStream, numbersTo } from '../support/dumped-stream.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const LANE = { organization: 'lane' };
const definitions = [buildStreamDump];

describe('Schedules of dumps of streams', () => {
  let started: StartedApp;
  let stream: DumpedStream;
  let runner: JobRunner | undefined;
  let now: number;

  beforeEach(async () => {
    started = await startApp(SQLITE, { fullDumps: 'off', deltas: 'off' });
    await DumpedStream.make(started.app);
    stream = new DumpedStream(started.app, started.folder);
    now = Date.now();
  });
  afterEach(async () => {
    await runner?.stop();
    runner = undefined;
    await closeApps();
  });

  const scheduler = () => new Scheduler({ definitions, parts: started.app, now: () => now });
  const nextHour = () => (Math.floor(Date.now() / HOUR_MS) + 1) * HOUR_MS;
  const jobs = async () => {
    const all = await started.app.jobs.queue.list({ limit: 100 });
    return all.map(({ id, payload, oneAtATimePer }) => [id, payload, oneAtATimePer]).toSorted();
  };
  const run = () => {
    const worker = { name: 'tester', leaseMs: 30_000 };
    runner = new JobRunner({ definitions, parts: started.app, worker, concurrency: 2 });
    runner.start();
  };
  const resultOf = (set: string) =>
    until(`the dump of ${set} is made`, async () => {
      const { state, result, error } = await started.app.jobs.queue.get(`build-stream-dump/${idOfTime(now, set)}`);
      assert.notEqual(state, 'failed', error);
      return state === 'done' && result;
    });

  it('make full dumps and deltas of the default stream, and of a time of both the full dump alone', async () => {
    const { app } = started;
    const running = scheduler();
    run();
    await stream.put(numbersTo(5));
    await running.addDue();
    await app.records.organizations.change('lane', { dumps: { delta: '* * * * *', full: '0 * * * *' } });
    await running.addDue();
    assert.deepEqual(await jobs(), [], 'the minute in which it was set');

    now = nextHour();
    await Promise.all([running.addDue(), scheduler().addDue()]);
    const full = [idOfTime(now, 'lane.dumps'), { ...LANE, kind: 'full', onlyIfChanged: true }, 'lane.dumps'];
    assert.deepEqual(await jobs(), [full]);
    const totals = { records: 5, deletions: 0, errata: 0 };
    assert.deepEqual(await resultOf('lane.dumps'), { ...LANE, made: [{ number: 1, kind: 'full', ...totals }] });

    await stream.put([7]);
    await stream.delete([0]);
    now += MINUTE_MS;
    await running.addDue();
    const delta = [idOfTime(now, 'lane.dumps'), { ...LANE, kind: 'delta', onlyIfChanged: true }, 'lane.dumps'];
    assert.deepEqual(await jobs(), [full, delta]);
    const changed = { records: 1, deletions: 1, errata: 0 };
    assert.deepEqual(await resultOf('lane.dumps'), { ...LANE, made: [{ number: 2, kind: 'delta', ...changed }] });
    const content = await readDumpFiles(await app.records.streamDumps.get(LANE, 2), app.records.streamDumps);
    assert.deepEqual([[...content.records.keys()], content.deletions], [[stream.idOf(7)], [stream.idOf(0)]]);

    now += MINUTE_MS;
    await running.addDue();
    assert.deepEqual(await resultOf('lane.dumps'), { ...LANE, made: [] }, 'nothing has changed');
  });

  it('are those of the source by default; an empty stream has no dump, and an unchanged one no other (133)', async () => {
    const { app } = started;
    const { organizations } = app.records;
    await organizations.add('other', { contacts: [] });
    const source = { ...app.configuration, deltas: '* * * * *', fullDumps: '0 * * * *' };
    const parts = { ...app, configuration: source };
    const running = new Scheduler({ definitions, parts, now: () => now });
    const kinds = async () =>
      (await nextTimes({ definitions, parts }, now)).map(({ set, schedule }) => [set, schedule.slice(0, 9)]).toSorted();
    const both = [
      ['lane.dumps', '* * * * *'],
      ['lane.dumps', '0 * * * *'],
    ];
    const madeAt = async (time: number) => {
      now = time;
      await running.addDue();
      const { made } = (await resultOf('lane.dumps')) as { readonly made: readonly { readonly kind: string }[] };
      return made.map(({ kind }) => kind);
    };
    run();
    await running.addDue();
    assert.deepEqual([await jobs(), await kinds()], [[], both], 'times before the stream was made');

    const hour = nextHour();
    assert.deepEqual(await madeAt(hour), [], 'an empty stream');
    assert.deepEqual(await madeAt(hour + MINUTE_MS), []);
    await stream.put(numbersTo(3));
    assert.deepEqual(await madeAt(hour + 2 * MINUTE_MS), ['full'], 'the first dump');
    assert.deepEqual(await madeAt(hour + 3 * MINUTE_MS), []);
    assert.deepEqual(await madeAt(hour + HOUR_MS), [], 'nothing has changed');
    await stream.put([9]);
    assert.deepEqual(await madeAt(hour + 2 * HOUR_MS), ['delta', 'full']);
    await app.jobs.streamDumps.add({ ...LANE, kind: 'full' });
    await until(
      'one that is requested is made',
      async () => (await app.records.streamDumps.list(LANE)).at(-1)?.number === 4,
    );

    await organizations.change('lane', { dumps: { delta: 'off', full: '30 2 * * *' } });
    assert.deepEqual(await kinds(), [['lane.dumps', '30 2 * * ']]);
    await organizations.change('lane', { dumps: { full: 'off' } });
    assert.deepEqual(await kinds(), []);
    await organizations.change('lane', { dumps: { full: null, delta: null } });
    assert.deepEqual(await kinds(), both);
  });

  it('of a stream are its own, and end when they are removed', async () => {
    const { app } = started;
    const running = scheduler();
    run();
    await stream.put(numbersTo(3));
    await app.records.organizations.changeStream('lane', 'main', { dumps: { delta: '30 * * * *' } });
    now = nextHour() + HOUR_MS;
    await running.addDue();
    now -= HOUR_MS / 2;
    assert.deepEqual(await jobs(), [
      [idOfTime(now, 'lane--main.dumps'), { ...DUMPED, kind: 'delta', onlyIfChanged: true }, 'lane--main.dumps'],
    ]);
    const { made } = (await resultOf('lane--main.dumps')) as { readonly made: readonly object[] };
    assert.deepEqual(made, [{ number: 1, kind: 'full', records: 3, deletions: 0, errata: 0 }]);
    assert.deepEqual(await app.records.streamDumps.list(LANE), []);
    const next = {
      kind: 'build-stream-dump',
      set: 'lane--main.dumps',
      schedule: '30 * * * * (UTC)',
      next: now + HOUR_MS,
    };
    assert.deepEqual(await nextTimes({ definitions, parts: app }, now), [next]);

    await app.records.organizations.changeStream('lane', 'main', { dumps: { delta: null } });
    now += 2 * HOUR_MS;
    await running.addDue();
    assert.equal((await jobs()).length, 1);
    assert.deepEqual(await nextTimes({ definitions, parts: app }, now), []);
  });
});
