import assert from 'node:assert/strict';
import { copyBytes } from '../../../src/lib/bytes/copy-bytes.ts';

const shared = (bytes: readonly number[]) => {
  const memory = new Uint8Array(new SharedArrayBuffer(bytes.length));
  memory.set(bytes);
  return memory;
};

describe('Copying bytes', () => {
  for (const [kind, make] of [
    ['own', (bytes: readonly number[]) => new Uint8Array(bytes)],
    ['shared', shared],
  ] as const) {
    it(`copies a part of ${kind} memory to its place, and nothing else`, () => {
      const target = make([0, 0, 0, 0, 0, 0]);
      copyBytes(make([9, 1, 2, 3, 9]).subarray(1, 4), target.subarray(1), 1);
      assert.deepEqual([...target], [0, 0, 1, 2, 3, 0]);
    });

    it(`copies nothing from an empty part of ${kind} memory`, () => {
      const target = make([7, 7]);
      copyBytes(make([1]).subarray(1), target, 2);
      copyBytes(make([]), target, 0);
      assert.deepEqual([...target], [7, 7]);
    });
  }

  it('refuses bytes for which there is no room', () => {
    assert.throws(() => copyBytes(shared([1, 2, 3]), shared([0, 0, 0]), 1), RangeError);
  });
});
