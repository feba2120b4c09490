import assert from 'node:assert/strict';
import { defineJob } from '../../src/jobs/job-definition.ts';
import { nextTimes, Scheduler } from '../../src/jobs/scheduler.ts';
import { type OfSet, schedulesOfSets } from '../../src/jobs/set-schedules.ts';
import { SetRegistry } from '../../src/sets/set-registry.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { JobPlace } from '../support/job-place.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;

const build = defineJob<OfSet>({
  kind: 'build',
  retry: { attempts: 1, firstMs: 1, longestMs: 1 },
  oneAtATimePer: ({ set }) => set,
  schedules: (parts) => schedulesOfSets('dumpSchedule', parts),
  run: async () => {},
});

describeOnEachStore('schedules of sets', (kind, itOnce) => {
  let place: JobPlace;
  let now: number;
  let soon: ReturnType<typeof inMinutes>;
  let later: ReturnType<typeof inMinutes>;
  beforeEach(async () => {
    place = await JobPlace.make(kind);
    await place.sets.useBaseUrl('http://127.0.0.1:8080', true);
    now = Date.now();
    [soon, later] = [inMinutes(10), inMinutes(70)];
  });
  afterEach(() => place.close());

  /** Of a process of its own, which reads what others have changed. */
  function scheduler(): Scheduler {
    const sets = new SetRegistry(place.stores.catalog, place.stores.index);
    return new Scheduler({ definitions: [build], parts: { ...place.parts, sets }, now: () => now });
  }

  async function addSet(slug: string, dumpSchedule: string): Promise<void> {
    await place.sets.add({ slug, origin: { kind: 'folder', path: '/srv' }, dumpSchedule });
    await place.sets.markReady(slug);
  }

  const added = async () => (await place.jobs.list({ limit: 100 })).map(({ id }) => id).sort();

  it('add a job for each set at its time, once, however many processes do so', async () => {
    await addSet('maps', soon.pattern);
    await addSet('maps.old', later.pattern);
    await place.sets.add({ slug: 'papers', urlPrefix: 'https://data.example.org/' });
    const [one, other] = [scheduler(), scheduler()];
    await one.addDue();
    assert.deepEqual(await added(), []);
    now = soon.time;
    await Promise.all([one.addDue(), other.addDue()]);
    assert.deepEqual(await added(), [`maps.${timeOf(soon.time)}`]);
    now = later.time;
    await Promise.all([one.addDue(), other.addDue()]);
    assert.deepEqual(await added(), [`maps.${timeOf(soon.time)}`, `maps.old.${timeOf(later.time)}`]);
    const job = await place.jobs.get(`build/maps.${timeOf(soon.time)}`);
    assert.deepEqual([job.payload, job.oneAtATimePer], [{ set: 'maps' }, 'maps']);
  });

  it('are followed by processes that run when a set is changed', async () => {
    await addSet('maps', later.pattern);
    const running = scheduler();
    await running.addDue();
    await place.sets.change('maps', { dumpSchedule: soon.pattern });
    now = soon.time;
    await running.addDue();
    assert.deepEqual(await added(), [`maps.${timeOf(soon.time)}`]);
    await place.sets.change('maps', { dumpSchedule: null });
    now += DAY_MS;
    await running.addDue();
    assert.equal((await added()).length, 1);
  });

  it('make up for the last time that was missed, but not for times before they were set', async () => {
    await addSet('maps', soon.pattern);
    await scheduler().addDue();
    assert.deepEqual(await added(), []);
    now = soon.time + 2 * DAY_MS + 1000;
    await scheduler().addDue();
    assert.deepEqual(await added(), [`maps.${timeOf(soon.time + 2 * DAY_MS)}`]);
    await place.sets.change('maps', { title: 'Maps' });
    await scheduler().addDue();
    assert.equal((await added()).length, 1);
  });

  itOnce('make up for what many sets have missed two at a time, but add what is due now at once', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await addSet(name, soon.pattern);
    now = soon.time + MINUTE_MS;
    const late = scheduler();
    for (const expected of [2, 4, 5]) {
      await late.addDue();
      assert.equal((await added()).length, expected);
    }
    now = soon.time + DAY_MS;
    await late.addDue();
    assert.equal((await added()).length, 10);
  });

  itOnce('do not run again what ran a week ago, when its job is recorded no more', async () => {
    await addSet('maps', soon.pattern.replace(/\*$/, String(weekdayOf(soon.time))));
    now = soon.time + 6.5 * DAY_MS;
    await scheduler().addDue();
    assert.deepEqual(await added(), []);
  });

  itOnce('wait for a set that is not ready, and end with a set that is removed', async () => {
    const origin = { kind: 'folder', path: '/srv' } as const;
    await place.sets.add({ slug: 'maps', origin, dumpSchedule: soon.pattern });
    now = soon.time + 5 * MINUTE_MS;
    await scheduler().addDue();
    assert.deepEqual(await added(), []);
    await place.sets.markReady('maps');
    await scheduler().addDue();
    assert.deepEqual(await added(), [`maps.${timeOf(soon.time)}`]);
    await place.sets.remove('maps');
    assert.deepEqual(await nextTimes({ definitions: [build], parts: place.parts }, now), []);
  });

  itOnce('list the next time of each set', async () => {
    await addSet('maps', later.pattern);
    await addSet('texts', soon.pattern);
    assert.deepEqual(await nextTimes({ definitions: [build], parts: place.parts }, now), [
      { kind: 'build', set: 'texts', schedule: `${soon.pattern} (Asia/Kolkata)`, next: soon.time },
      { kind: 'build', set: 'maps', schedule: `${later.pattern} (Asia/Kolkata)`, next: later.time },
    ]);
  });
});

/** A pattern of every day, whose next time comes in so many minutes in the time zone of the test. */
function inMinutes(minutes: number): { readonly pattern: string; readonly time: number } {
  const time = Math.ceil(Date.now() / MINUTE_MS + minutes) * MINUTE_MS;
  const there = new Date(time + 5.5 * 60 * MINUTE_MS);
  return { pattern: `${there.getUTCMinutes()} ${there.getUTCHours()} * * *`, time };
}

function timeOf(time: number): string {
  return new Date(time).toISOString().replaceAll(/[-:]|\.000/g, '');
}

function weekdayOf(time: number): number {
  return new Date(time + 5.5 * 60 * MINUTE_MS).getUTCDay();
}
