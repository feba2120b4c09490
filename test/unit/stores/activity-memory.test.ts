import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isTidemarkError } from '../../../src/core/errors.ts';
import { SetRegistry } from '../../../src/sets/set-registry.ts';
import { ActivityMemory } from '../../../src/stores/activity-memory.ts';
import { openStores, type Stores } from '../../../src/stores/open-stores.ts';
import type { ActivityRange } from '../../../src/stores/set-statistics.ts';
import { deletion, URL_PREFIX, upsert } from '../../support/builders.ts';

const HOUR = 3_600_000_000;
const DAY = Date.UTC(2020, 4, 1) * 1000;

describe('the memory of how many changes there were', () => {
  let folder: string;
  let stores: Stores;
  let set: number;
  let asked: ActivityRange[];
  let memory: ActivityMemory;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    stores = await openStores({ kind: 'sqlite', file: join(folder, 'tidemark.db') });
    const { index, catalog } = stores;
    const sets = new SetRegistry(catalog, index);
    await sets.useBaseUrl('http://localhost:8080', false);
    set = (await sets.add({ slug: 'maps', urlPrefix: URL_PREFIX, epochStart: DAY - 1 })).id;
    asked = [];
    memory = new ActivityMemory({
      watermark: () => index.watermark(),
      activity(id, range) {
        asked.push(range);
        return index.activity(id, range);
      },
    });
    // The watermark comes to be in the fourth hour.
    await index.commit([
      { ...upsert(set, 'a'), time: DAY + 2 },
      { ...upsert(set, 'b'), time: DAY + 2 * HOUR },
      { ...deletion(set, 'b'), time: DAY + 2 * HOUR + 2 },
      { ...upsert(set, 'c'), time: DAY + 3 * HOUR + 2 },
    ]);
  });

  afterEach(async () => {
    await stores.close();
    await rm(folder, { recursive: true });
  });

  const hours = async (from: number, until: number) => {
    const counts = await memory.of(set, { from: DAY + from * HOUR, until: DAY + until * HOUR, unit: 'hour' });
    return counts.map(({ start, created, updated, deleted }) => [(start - DAY) / HOUR, created, updated, deleted]);
  };

  it('counts every hour, also those without a change', async () => {
    assert.deepEqual(await hours(0, 4), [
      [0, 1, 0, 0],
      [1, 0, 0, 0],
      [2, 1, 0, 1],
      [3, 1, 0, 0],
      [4, 0, 0, 0],
    ]);
    const days = await memory.of(set, { from: DAY + 5, until: DAY + 30 * HOUR, unit: 'day' });
    assert.deepEqual(days, [
      { start: DAY, created: 3, updated: 0, deleted: 1 },
      { start: DAY + 24 * HOUR, created: 0, updated: 0, deleted: 0 },
    ]);
  });

  it('counts what is over once, and the rest each time', async () => {
    const first = await hours(0, 5);
    asked = [];
    assert.deepEqual(await hours(0, 5), first);
    assert.deepEqual(
      asked.map(({ after }) => (after + 1 - DAY) / HOUR),
      [3],
    );
    await stores.index.commit([{ ...upsert(set, 'd'), time: DAY + 3 * HOUR + 100 }]);
    assert.deepEqual((await hours(2, 3)).at(-1), [3, 2, 0, 0]);
  });

  it('asks only for what it does not know yet', async () => {
    const all = await hours(0, 4);
    memory = new ActivityMemory({ watermark: () => stores.index.watermark(), activity: logged });
    asked = [];
    async function logged(id: number, range: ActivityRange) {
      asked.push(range);
      return stores.index.activity(id, range);
    }
    assert.deepEqual(await hours(1, 1), all.slice(1, 2));
    assert.deepEqual(await hours(0, 2), all.slice(0, 3));
    assert.deepEqual(await hours(1, 2), all.slice(1, 3));
    assert.deepEqual(
      asked.map(({ after, until }) => [(after + 1 - DAY) / HOUR, (until + 1 - DAY) / HOUR]),
      [
        [1, 2],
        [0, 1],
        [2, 3],
      ],
    );
  });

  it('counts once for all concurrent requests', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => hours(0, 2)));
    for (const counts of all) assert.deepEqual(counts, all[0]);
    assert.equal(asked.length, 1);
  });

  it('answers after a request that failed', async () => {
    const failing = memory.of(999, { from: DAY, until: DAY, unit: 'hour' });
    const again = memory.of(999, { from: DAY, until: DAY, unit: 'hour' });
    for (const answer of [failing, again]) {
      await assert.rejects(answer, (error) => isTidemarkError(error, 'not-found'));
    }
  });
});
