import assert from 'node:assert/strict';
import { BatchedCalls } from '../../../src/lib/calls/batched-calls.ts';

describe('batched calls', () => {
  it('share what is made once for all that were requested in one turn, after the last of them was', async () => {
    let shared = 0;
    const calls = new BatchedCalls<number>((runAll) => runAll(++shared));
    const results = Array.from({ length: 5 }, (_, number) => calls.run((made) => `${number} of ${made}`));
    assert.equal(shared, 0);
    assert.deepEqual(await Promise.all(results), ['0 of 1', '1 of 1', '2 of 1', '3 of 1', '4 of 1']);
    assert.equal(await calls.run((made) => made), 2);
  });

  it('are made in several batches when there are many, in their order', async () => {
    let batches = 0;
    const calls = new BatchedCalls<void>((runAll) => {
      batches += 1;
      runAll();
    });
    const made: number[] = [];
    await Promise.all(Array.from({ length: 1000 }, (_, number) => calls.run(() => made.push(number))));
    assert.deepEqual(made, [...made.keys()]);
    assert.ok(batches > 1, String(batches));
  });

  it('that results lead to are made in the same turn, together', async () => {
    let turns = 0;
    const count = () => {
      turns += 1;
      immediate = setImmediate(count);
    };
    let immediate = setImmediate(count);
    try {
      const found = [];
      // After five milliseconds other work is done first, and a busy machine may take them away from this process.
      for (let tries = 0; tries < 20 && found.at(-1)?.turns !== 1; tries++) {
        let batches = 0;
        const calls = new BatchedCalls<number>((runAll) => runAll(++batches));
        const before = turns;
        const inReservedPeriod = async () => [await calls.run((batch) => batch), await calls.run((batch) => batch)];
        const both = await Promise.all([inReservedPeriod(), Promise.resolve().then(inReservedPeriod)]);
        found.push({ both, turns: turns - before });
      }
      assert.deepEqual(found.at(-1), {
        both: [
          [1, 2],
          [1, 2],
        ],
        turns: 1,
      });
    } finally {
      clearImmediate(immediate);
    }
  });

  it('let other work happen, even when each leads to another', async () => {
    const calls = new BatchedCalls<void>((runAll) => runAll());
    let isTurned = false;
    setTimeout(() => {
      isTurned = true;
    });
    while (!isTurned) await calls.run(() => {});
  });

  it('fail alone, or together when what they share cannot be made', async () => {
    const calls = new BatchedCalls<void>((runAll) => runAll());
    const failing = calls.run(() => {
      throw new Error('one');
    });
    const [first, second] = await Promise.allSettled([failing, calls.run(() => 'other')]);
    assert.deepEqual([first.status, second.status], ['rejected', 'fulfilled']);

    const none = new BatchedCalls<void>(() => {
      throw new Error('all');
    });
    const both = await Promise.allSettled([none.run(() => 1), none.run(() => 2)]);
    assert.deepEqual(
      both.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
  });
});
