import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { SpacedCalls } from '../../../src/lib/calls/spaced-calls.ts';

describe('spaced calls', () => {
  it('are made in their order, each after what waits for the one before went on', async () => {
    const calls = new SpacedCalls<void>(() => {});
    const done: string[] = [];
    const answer = async (name: string) => {
      await calls.run(() => done.push(`prepare ${name}`));
      await Promise.resolve();
      done.push(`answer ${name}`);
    };
    await Promise.all(['a', 'b', 'c'].map(answer));
    const inOrder = ['a', 'b', 'c'].flatMap((name) => [`prepare ${name}`, `answer ${name}`]);
    assert.deepEqual(done, inOrder);
  });

  it('share what is made once for all that were requested in one turn, after the last of them was', async () => {
    let made = 0;
    const calls = new SpacedCalls<number>(() => ++made);
    const results = Array.from({ length: 5 }, () => calls.run((shared) => shared));
    assert.equal(made, 0);
    assert.deepEqual(await Promise.all(results), [1, 1, 1, 1, 1]);
    assert.equal(await calls.run((shared) => shared), 2);
  });

  it('share nothing that was made before they were requested', async () => {
    let made = 0;
    const calls = new SpacedCalls<number>(() => ++made);
    // Requested while others of the same turn are still to be made.
    const requestedBetween = calls.run(() => calls.run((shared) => shared));
    const others = Array.from({ length: 3 }, () => calls.run((shared) => shared));
    assert.deepEqual(await Promise.all(others), [1, 1, 1]);
    assert.equal(await requestedBetween, 2);
  });

  it('leave room for other work when there are many', async () => {
    const calls = new SpacedCalls<void>(() => {});
    let made = 0;
    const all = Promise.all(Array.from({ length: 1000 }, () => calls.run(() => made++)));
    await setImmediate();
    await setImmediate();
    assert.ok(made > 0 && made < 1000, String(made));
    await all;
    assert.equal(made, 1000);
  });

  it('fail alone, also when what they share cannot be made', async () => {
    let makes = 0;
    const calls = new SpacedCalls<void>(() => {
      makes += 1;
      if (makes === 1) throw new Error('all');
    });
    const settled = await Promise.allSettled([
      calls.run(() => 1),
      calls.run(() => {
        throw new Error('one');
      }),
      calls.run(() => 3),
    ]);
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['rejected', 'rejected', 'fulfilled'],
    );
  });
});
