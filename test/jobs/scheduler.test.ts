import assert from 'node:assert/strict';
import { defineJob } from '../../src/jobs/job-definition.ts';
import { cron, every } from '../../src/jobs/schedule.ts';
import { nextTimes, Scheduler } from '../../src/jobs/scheduler.ts';
import { SQLITE } from '../support/each-store.ts';
import { JobPlace } from '../support/job-place.ts';
import { until } from '../support/until.ts';

const at = (text: string) => Date.parse(text);

describe('the scheduler of jobs', () => {
  let place: JobPlace;
  let now: number;
  beforeEach(async () => {
    place = await JobPlace.make(SQLITE);
    now = at('2026-03-28T12:00:00Z');
  });
  afterEach(() => place.close());

  const nightly = defineJob<{ night: boolean }>({
    kind: 'build',
    retry: { attempts: 1, firstMs: 1, longestMs: 1 },
    oneAtATimePer: ({ night }) => String(night),
    schedules: () => [{ schedule: cron('15 2 * * *', 'UTC'), payload: { night: true } }],
    run: async () => {},
  });
  const hourly = defineJob({
    kind: 'archive',
    retry: { attempts: 1, firstMs: 1, longestMs: 1 },
    schedules: () => [
      { schedule: every(3_600_000), payload: { of: 'maps' }, set: 'maps' },
      { schedule: every(7_200_000), payload: { of: 'texts' }, set: 'texts' },
    ],
    run: async () => {},
  });
  const scheduler = (definition = nightly) =>
    new Scheduler({ definitions: [definition], parts: place.parts, now: () => now });
  const added = async () => (await place.jobs.list({ limit: 100 })).map(({ id }) => id).sort();

  it('adds a job at its time, and once, however many schedulers there are and however their clocks differ', async () => {
    const [one, other] = [scheduler(), scheduler()];
    for (const each of [one, other]) await each.addDue();
    assert.deepEqual(await added(), []);
    now = at('2026-03-29T02:14:45Z');
    await one.addDue();
    assert.deepEqual(await added(), []);
    // The clock of the other one is 30 s ahead.
    now = at('2026-03-29T02:15:15Z');
    await other.addDue();
    await other.addDue();
    now = at('2026-03-29T02:15:00Z');
    await one.addDue();
    assert.deepEqual(await added(), ['20260329T021500Z']);
    const { payload, oneAtATimePer } = await place.jobs.get('build/20260329T021500Z');
    assert.deepEqual([payload, oneAtATimePer], [{ night: true }, 'true']);
  });

  it('adds each job at its time when its clock was ahead by a day, and is right again', async () => {
    const one = scheduler(hourly);
    await one.addDue();
    for (const time of ['2026-03-29T12:00:00Z', '2026-03-28T12:00:10Z', '2026-03-28T14:00:00Z']) {
      now = at(time);
      await one.addDue();
    }
    assert.deepEqual(
      (await added()).filter((id) => id.startsWith('maps')),
      ['maps.20260328T120000Z', 'maps.20260328T140000Z', 'maps.20260329T120000Z'],
    );
    assert.ok((await added()).includes('texts.20260328T140000Z'));
  });

  it('makes up for the last time that was missed while no process ran', async () => {
    await scheduler().addDue();
    await place.jobs.add('build', '20260325T021500Z', {});
    await scheduler().addDue();
    assert.deepEqual(await added(), ['20260325T021500Z', '20260328T021500Z']);
  });

  it('adds none while that of an earlier time waits for other work, which will do the same', async () => {
    await place.jobs.add('build', 'earlier', { night: true }, { oneAtATimePer: 'true' });
    const worker = { name: 'tester', leaseMs: 30_000 };
    const owned = await place.jobs.claimer({ worker, kinds: ['build'], mostDeaths: 1 }).claim();
    const wait = { since: now, reason: 'the artifact store has to answer' };
    await owned!.finish({ state: 'given-back', notBefore: Date.now() + 60_000, wait });
    const nightlyScheduler = scheduler();
    await nightlyScheduler.addDue();
    now = at('2026-03-29T02:15:15Z');
    await nightlyScheduler.addDue();
    assert.deepEqual(await added(), ['earlier']);
    await place.jobs.cancel('build/earlier');
    now = at('2026-03-30T02:15:15Z');
    await nightlyScheduler.addDue();
    assert.deepEqual(await added(), ['20260330T021500Z', 'earlier']);
  });

  it('adds what is done at intervals at once, each schedule by itself', async () => {
    await scheduler(hourly).addDue();
    now = at('2026-03-28T13:30:00Z');
    await scheduler(hourly).addDue();
    assert.deepEqual(await added(), ['maps.20260328T120000Z', 'maps.20260328T130000Z', 'texts.20260328T120000Z']);
    assert.deepEqual((await place.jobs.get('archive/texts.20260328T120000Z')).payload, { of: 'texts' });
  });

  it('reports once that jobs cannot be added, and once that they are added again', async () => {
    const heard: string[] = [];
    let fails = true;
    let calls = 0;
    const definition: typeof hourly = {
      ...hourly,
      async schedules() {
        calls += 1;
        if (fails) throw new Error('no time');
        return [];
      },
    };
    const running = new Scheduler({
      definitions: [definition],
      parts: place.parts,
      onTrouble: (error) => heard.push(String(error)),
      onRecovered: () => heard.push('recovered'),
    });
    running.start();
    await until('it has tried twice', async () => calls > 1);
    fails = false;
    await until('it has recovered', async () => heard.length > 1);
    await running.stop();
    assert.deepEqual(heard, ['Error: no time', 'recovered']);
  });

  it('lists the next times, the soonest first', async () => {
    const definitions = [nightly, hourly];
    assert.deepEqual(
      (await nextTimes({ definitions, parts: place.parts }, now)).map(({ kind, set, schedule, next }) => [
        set === undefined ? kind : `${kind} ${set}`,
        schedule,
        new Date(next).toISOString(),
      ]),
      [
        ['archive maps', 'every 1h', '2026-03-28T13:00:00.000Z'],
        ['archive texts', 'every 2h', '2026-03-28T14:00:00.000Z'],
        ['build', '15 2 * * * (UTC)', '2026-03-29T02:15:00.000Z'],
      ],
    );
  });
});
