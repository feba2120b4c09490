import assert from 'node:assert/strict';
import { formatBytes } from '../../../src/lib/format-bytes.ts';

describe('Numbers of bytes for people', () => {
  for (const [bytes, text] of [
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.00 kB'],
    [120_000_000, '120 MB'],
    [999_499_999, '999 MB'],
    [999_500_000, '1.00 GB'],
    [4_711_000_000, '4.71 GB'],
    [5_000_000_000_000_000, '5000 TB'],
  ] as const) {
    it(`are in powers of 1000: ${text}`, () => {
      assert.equal(formatBytes(bytes), text);
    });
  }
});
