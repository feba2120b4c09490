import assert from 'node:assert/strict';
import type { Resource } from '../../../src/core/resource.ts';
import type { PrepareParts, WantedEntry } from '../../../src/publish/dumps/prepare-entries.ts';
import { type OtherThread, PreparedAhead } from '../../../src/publish/dumps/prepared-ahead.ts';

/** Each is a batch of its own. */
const BYTES = 400_000;

interface Counts {
  here: number;
  beside: number;
  mostBeside: number;
}

async function* wantedItems(count: number) {
  for (let at = 0; at < count; at++) {
    const resource = { key: `${at}`, state: { length: BYTES } } as Resource;
    const wanted: WantedEntry = { resource, entry: { name: `${at}`, modified: 0, compress: false } };
    yield [{ wanted }];
  }
}

/** The keys of all batches, in order, and who prepared them. */
async function prepared(other: (counts: Counts) => OtherThread | undefined) {
  const counts: Counts = { here: 0, beside: 0, mostBeside: 0 };
  const contents = {
    async open() {
      counts.here += 1;
      return undefined;
    },
  };
  const ahead = new PreparedAhead({ contents, artifacts: {} } as unknown as PrepareParts, other(counts));
  const keys: string[] = [];
  for await (const { items } of ahead.batches(wantedItems(40)))
    keys.push(...items.map((one) => one.wanted.resource.key));
  assert.deepEqual(
    keys,
    Array.from({ length: 40 }, (_, at) => `${at}`),
  );
  return counts;
}

function otherThread(counts: Counts, isReady: () => boolean): OtherThread {
  let underWay = 0;
  return {
    get isReady() {
      return isReady();
    },
    async prepare(wanted) {
      counts.beside += wanted.length;
      underWay += 1;
      counts.mostBeside = Math.max(counts.mostBeside, underWay);
      await new Promise(setImmediate);
      underWay -= 1;
      return wanted.map(() => undefined);
    },
  };
}

describe('Preparing entries in two threads', () => {
  it('leaves most to the other thread, but not all', async () => {
    const { here, beside, mostBeside } = await prepared((counts) => otherThread(counts, () => true));
    assert.ok(here > 0 && beside > here, `${here} here, ${beside} beside`);
    assert.ok(mostBeside <= 6, `${mostBeside} at a time`);
  });

  it('does not wait for the start of the other thread', async () => {
    const { here, beside } = await prepared((counts) => otherThread(counts, () => counts.here >= 10));
    assert.ok(here >= 10 && beside > 0, `${here} here, ${beside} beside`);
  });

  it('uses one thread when the other never starts', async () => {
    const { here, beside } = await prepared((counts) => otherThread(counts, () => false));
    assert.deepEqual({ here, beside }, { here: 40, beside: 0 });
  });
});
