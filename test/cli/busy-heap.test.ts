import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const SOURCES = join(import.meta.dirname, '../../src/cli');

/** Keeps some of what it allocates for a while, as requests do, until the young generation has grown, or time is up. */
const script = (requests: number, growMs: number) => `
  import { getHeapSpaceStatistics } from 'node:v8';
  import { setTimeout as wait } from 'node:timers/promises';
  import { limitHeaps } from '${SOURCES}/limit-heaps.ts';
  import { growWhenBusy } from '${SOURCES}/serving/busy-heap.ts';
  limitHeaps(60);
  const youngMB = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size / 2 ** 20;
  const stopping = new AbortController();
  let answered = 0;
  const growing = growWhenBusy(() => (answered += ${requests}), stopping.signal);
  let kept = [];
  const allocate = async (milliseconds, enough = Infinity) => {
    let [most, least] = [0, Infinity];
    for (const end = performance.now() + milliseconds; performance.now() < end && most < enough; ) {
      for (let number = 0; number < 5_000; number++) kept.push({ number, more: [number] });
      if (kept.length > 50_000) kept = [];
      most = Math.max(most, youngMB());
      least = Math.min(least, youngMB());
      await wait(1);
    }
    return { most, least };
  };
  const { most } = await allocate(${growMs}, 8);
  // It was let grow once, and does not go on.
  await allocate(1_300);
  // V8 counts more while it collects.
  const { least } = await allocate(400);
  stopping.abort();
  await growing;
  console.log(JSON.stringify({ most, least }));`;

describe('The young generation of a server', () => {
  async function grow(requests: number, growMs: number): Promise<{ readonly most: number; readonly least: number }> {
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--input-type=module',
      '-e',
      script(requests, growMs),
    ]);
    return JSON.parse(stdout);
  }

  it('grows to 4 MB a half when many requests are answered, and no further', async () => {
    const { most, least } = await grow(10_000, 10_000);
    // Two collections that follow each other at once let it grow twice; without an end, it would have 128 MB.
    assert.ok(most >= 8 && least < 64, `${most} ${least}`);
  });

  it('stays as it is when few are', async () => {
    const { least } = await grow(1, 1_300);
    assert.ok(least < 4, String(least));
  });
});
