import assert from 'node:assert/strict';
import { RepeatedIds } from '../../../../src/records/forms/repeated-ids.ts';

describe('Repeated ids', () => {
  it('are found among many, wherever they came before', () => {
    const ids = new RepeatedIds();
    const names = Array.from({ length: 100_000 }, (_, at) => `ocm${at}`);
    assert.ok(!names.some((id) => ids.add(id)));
    assert.ok(names.every((id) => ids.add(id)));
    assert.equal(ids.add('ocm'), false);
  });

  it('are found of the first ids alone, in memory that does not grow', () => {
    const ids = new RepeatedIds(2);
    assert.deepEqual(
      ['1', '2', '3', '3', '1', '2'].map((id) => ids.add(id)),
      [false, false, false, false, true, true],
    );
  });
});
