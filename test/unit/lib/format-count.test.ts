import assert from 'node:assert/strict';
import { formatCount } from '../../../src/lib/format-count.ts';

describe('A count', () => {
  it('has commas between thousands', () => {
    for (const count of [0, 7, 999, 1000, 12_345, 999_999, 1_000_000, 123_456_789_012, -1234, -999]) {
      assert.equal(formatCount(count), count.toLocaleString('en-US'));
    }
  });
});
