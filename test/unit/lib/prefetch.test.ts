import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { mapInOrder } from '../../../src/lib/calls/map-in-order.ts';
import { prefetch, prefetchItems } from '../../../src/lib/calls/prefetch.ts';

describe('Prefetching', () => {
  /** Numbers from 1, and how many of them were requested. */
  const counting = (last: number, failAt?: number) => {
    const calls = { count: 0 };
    const next = async () => {
      calls.count += 1;
      if (calls.count === failAt) throw new Error(`no ${failAt}`);
      return calls.count > last ? undefined : calls.count;
    };
    return { calls, next };
  };

  it('returns every item in order, and requests each while the one before is in use', async () => {
    const { calls, next } = counting(3);
    const seen: number[] = [];
    for await (const item of prefetch(next)) {
      seen.push(item);
      assert.equal(calls.count, item + 1);
    }
    assert.deepEqual(seen, [1, 2, 3]);
  });

  it('throws an error when its turn comes, after the items before', async () => {
    const { next } = counting(3, 3);
    const seen: number[] = [];
    const reading = async () => {
      for await (const item of prefetch(next)) {
        seen.push(item);
        // An unhandled rejection would fail this test.
        await setImmediate();
      }
    };
    await assert.rejects(reading, /no 3/);
    assert.deepEqual(seen, [1, 2]);
  });

  it('does not let a caller that stops early wait for a request, or see it fail', async () => {
    const pending = Promise.withResolvers<number>();
    const results = [Promise.resolve(1), pending.promise].values();
    for await (const item of prefetch(() => results.next().value!)) {
      assert.equal(item, 1);
      break;
    }
    pending.reject(new Error('broken'));
    await setImmediate();
  });

  it('closes the items of a caller that stops early, when nothing is requested of them any more', async () => {
    const steps: string[] = [];
    async function* items() {
      try {
        for (const item of ['a', 'b', 'c']) {
          await setImmediate();
          steps.push(item);
          yield item;
        }
      } finally {
        steps.push('closed');
      }
    }
    for await (const item of prefetchItems(items())) if (item === 'a') break;
    assert.deepEqual(steps, ['a', 'b', 'closed']);
  });

  it('gives out items as they are, undefined too', async () => {
    async function* items() {
      yield* [undefined, 0, undefined];
    }
    assert.deepEqual(await collect(prefetchItems(items())), [undefined, 0, undefined]);
  });
});

describe('Mapping in order', () => {
  it('returns results in the order of the items, with a limited number of steps at the same time', async () => {
    const delays = fc.array(fc.nat(4), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(delays, fc.integer({ min: 1, max: 4 }), async (ticks, most) => {
        let running = 0;
        const step = async (delay: number) => {
          assert.ok(++running <= most);
          for (let tick = 0; tick < delay; tick++) await Promise.resolve();
          running -= 1;
          return delay;
        };
        assert.deepEqual(await collect(mapInOrder(ticks, most, step)), ticks);
      }),
    );
  });

  it('throws the first error in the order of the items, when every step has ended', async () => {
    let ended = 0;
    const step = async (item: number) => {
      for (let tick = 3; tick > item; tick--) await setImmediate();
      ended += 1;
      if (item > 1) throw new Error(`no ${item}`);
      return item;
    };
    await assert.rejects(collect(mapInOrder([1, 2, 3], 3, step)), /no 2/);
    assert.equal(ended, 3);
  });

  it('waits for the steps that a caller leaves behind when it stops early', async () => {
    let ended = 0;
    const step = async (item: number) => {
      for (let tick = 0; tick < item; tick++) await setImmediate();
      ended += 1;
    };
    for await (const _ of mapInOrder([1, 2, 3], 2, step)) break;
    assert.equal(ended, 2);
  });
});

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
