import assert from 'node:assert/strict';
import { boundaryAfter, boundaryBefore, clockStamp, formatStamp, nextStamp } from '../../../src/core/stamp.ts';

describe('a stamp', () => {
  it('is the time of the clock in microseconds', () => {
    assert.equal(clockStamp(7), 7_000);
    const before = Date.now();
    const stamp = clockStamp();
    assert.ok(stamp >= before * 1000 && stamp <= Date.now() * 1000);
  });

  it('is above the last one, at the time of what happened or of the clock, whichever is earlier', () => {
    assert.equal(nextStamp(100, 1), 1_000);
    assert.equal(nextStamp(998, 1), 1_000);
    assert.equal(nextStamp(1_000, 1), 1_002);
    assert.equal(nextStamp(5_000, 1), 5_002);
    assert.equal(nextStamp(100, 1, 500), 500);
    assert.equal(nextStamp(100, 1, 2_000), 1_000);
    assert.equal(nextStamp(100, 1, 50), 102);
  });

  it('is between odd boundaries, each its own nearest', () => {
    assert.deepEqual([boundaryAfter(4), boundaryAfter(5)], [5, 5]);
    assert.deepEqual([boundaryBefore(4), boundaryBefore(5)], [3, 5]);
  });

  it('is written with six digits of a second, in any order of time', () => {
    assert.equal(formatStamp(0), '1970-01-01T00:00:00.000000Z');
    assert.equal(formatStamp(999_999), '1970-01-01T00:00:00.999999Z');
    assert.equal(formatStamp(1_000_000), '1970-01-01T00:00:01.000000Z');
    assert.equal(formatStamp(1_700_000_000_000_042), '2023-11-14T22:13:20.000042Z');
    assert.equal(formatStamp(1_700_000_000_000_044), '2023-11-14T22:13:20.000044Z');
    assert.equal(formatStamp(5), '1970-01-01T00:00:00.000005Z');
  });
});
