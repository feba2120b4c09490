import assert from 'node:assert/strict';
import { ByteBudget } from '../../../src/datasets/strategies/byte-budget.ts';

describe('ByteBudget', () => {
  const counterOf = (budget: ByteBudget, path: string) =>
    budget.counter({ path, hashes: [] }, { acceptMismatch: false, mimetype: undefined });

  it('counts the last time of a file that is fetched again, as a capture that breaks off in its replay', () => {
    const budget = new ByteBudget({ datasetBytes: 10, advice: 'raise --dataset-size' });
    for (let times = 0; times < 3; times++) counterOf(budget, 'a')(6);
    const count = counterOf(budget, 'b');
    count(4);
    assert.throws(() => count(1), { status: 'too-large-size', message: /b was fetched, has more than 10 .*: raise/ });
  });
});
