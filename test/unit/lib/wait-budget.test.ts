import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { waitWithinBudget, withWaitBudget } from '../../../src/lib/calls/wait-budget.ts';

/** Milliseconds, of which timers may take a few more. */
const STEP = 100;
const waitFor = (steps: number) => waitWithinBudget(wait(steps * STEP, 'done'), 10 * STEP, () => 'late');

describe('A budget of waits', () => {
  it('is spent by one wait after the other', async () => {
    await withWaitBudget(5 * STEP, async () => {
      assert.equal(await waitFor(3), 'done');
      assert.equal(await waitFor(4), 'late');
      assert.equal(await waitFor(1), 'late');
    });
  });

  it('counts waits at the same time once, and no time in between', async () => {
    await withWaitBudget(5 * STEP, async () => {
      assert.deepEqual(await Promise.all([waitFor(2), waitFor(2), waitFor(2)]), ['done', 'done', 'done']);
      await wait(4 * STEP);
      assert.equal(await waitFor(2), 'done');
    });
  });

  it('does not end a wait of work that has none', async () => {
    assert.equal(await waitFor(6), 'done');
  });
});
