import assert from 'node:assert/strict';
import type { Resource } from '../../../src/core/resource.ts';
import type { PrepareEntries, PrepareParts, WantedEntry } from '../../../src/publish/dumps/prepare-entries.ts';
import { PreparedAhead } from '../../../src/publish/dumps/prepared-ahead.ts';

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
async function prepared(other: (counts: Counts) => PrepareEntries | undefined) {
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

/** @param turns of the event loop that each batch takes */
const otherThread =
  (turns: number) =>
  (counts: Counts): PrepareEntries => {
    let underWay = 0;
    return async (wanted) => {
      counts.beside += wanted.length;
      underWay += 1;
      counts.mostBeside = Math.max(counts.mostBeside, underWay);
      for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
      underWay -= 1;
      return wanted.map(() => undefined);
    };
  };

describe('Preparing entries in two threads', () => {
  it('gives each thread the next batch when it has room', async () => {
    const quick = await prepared(otherThread(1));
    assert.ok(quick.here > 0 && quick.beside > quick.here, JSON.stringify(quick));
    assert.ok(quick.mostBeside <= 3, `${quick.mostBeside} at a time`);
    const slow = await prepared(otherThread(30));
    assert.ok(slow.beside > 0 && slow.here > slow.beside, JSON.stringify(slow));
  });

  it('uses one thread without another', async () => {
    const { here, beside } = await prepared(() => undefined);
    assert.deepEqual({ here, beside }, { here: 40, beside: 0 });
  });

  it('fails when the other thread does', async () => {
    const failing = () => async () => Promise.reject(new Error('it has ended'));
    await assert.rejects(prepared(failing), /it has ended/);
  });
});
