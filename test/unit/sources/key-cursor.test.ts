import assert from 'node:assert/strict';
import fc from 'fast-check';
import { KeyCursor, KeyMerge } from '../../../src/sources/sync/key-cursor.ts';

describe('A cursor over batches', () => {
  let closed: boolean;

  async function* batchesOf(batches: readonly (readonly string[])[]) {
    try {
      yield* batches;
    } finally {
      closed = true;
    }
  }
  const cursorOver = (...batches: readonly (readonly string[])[]) => {
    closed = false;
    return new KeyCursor(batchesOf(batches), (item) => `/${item}`);
  };

  it('steps from item to item, and waits only for batches', async () => {
    const cursor = cursorOver(['a', 'b'], [], ['c']);
    assert.deepEqual([cursor.item, cursor.key, cursor.needsBatch], [undefined, undefined, true]);
    await cursor.nextBatch();
    assert.deepEqual([cursor.item, cursor.key, cursor.needsBatch], ['a', '/a', false]);
    await cursor.nextBatch();
    assert.equal(cursor.item, 'a', 'the batch has more');
    cursor.step();
    assert.deepEqual([cursor.item, cursor.key, cursor.needsBatch], ['b', '/b', false]);
    cursor.step();
    assert.deepEqual([cursor.item, cursor.key, cursor.needsBatch], [undefined, undefined, true]);
    await cursor.nextBatch();
    assert.deepEqual([cursor.item, cursor.key], ['c', '/c'], 'an empty batch is passed over');
    cursor.step();
    await cursor.nextBatch();
    assert.deepEqual([cursor.item, cursor.key, cursor.needsBatch, closed], [undefined, undefined, false, true]);
    await cursor.nextBatch();
    assert.equal(cursor.needsBatch, false);
  });

  it('takes an item only by its key', async () => {
    const cursor = cursorOver(['a', 'b']);
    await cursor.nextBatch();
    assert.equal(cursor.takeAt('/b'), undefined);
    assert.equal(cursor.takeAt('/a'), 'a');
    assert.equal(cursor.key, '/b');
  });

  it('closes what it has not read to its end', async () => {
    const cursor = cursorOver(['a'], ['b']);
    await cursor.nextBatch();
    assert.equal(closed, false);
    await cursor.close();
    assert.equal(closed, true);
  });
});

describe('A merge of cursors', () => {
  async function* batches(keys: readonly string[], size: number) {
    for (let at = 0; at < keys.length; at += size) yield keys.slice(at, at + size);
  }
  const cursorOver = (keys: readonly string[], size: number) => new KeyCursor(batches(keys, size), (key) => key);

  it('waits for a batch only when one of them has no item left, and at the end for none', async () => {
    const merge = new KeyMerge(cursorOver(['a', 'b'], 2), cursorOver(['c'], 1));
    assert.equal(merge.needsBatch, true);
    await merge.nextBatches();
    assert.equal(merge.needsBatch, false);
    const empty = new KeyMerge(cursorOver([], 1), cursorOver([], 1));
    await empty.nextBatches();
    assert.deepEqual([empty.needsBatch, empty.key], [false, undefined]);
  });

  it('closes what it has not read to its end', async () => {
    let closed = 0;
    async function* counted() {
      try {
        yield ['a'];
        yield ['b'];
      } finally {
        closed += 1;
      }
    }
    const merge = new KeyMerge(...[counted(), counted()].map((each) => new KeyCursor(each, (key) => key)));
    await merge.nextBatches();
    await merge.close();
    assert.equal(closed, 2);
  });

  it('comes to every key of any of them once, in order, whatever the batches are', async () => {
    const keys = fc.uniqueArray(fc.string({ unit: 'grapheme-ascii', maxLength: 3 }), { maxLength: 20 });
    const sorted = keys.map((some) => some.toSorted(byText));
    await fc.assert(
      fc.asyncProperty(sorted, sorted, fc.integer({ min: 1, max: 5 }), async (left, right, size) => {
        const cursors = [cursorOver(left, size), cursorOver(right, size + 1)] as const;
        const merge = new KeyMerge(...cursors);
        const met: string[] = [];
        for (;;) {
          if (merge.needsBatch) await merge.nextBatches();
          const { key } = merge;
          if (key === undefined) break;
          const taken = cursors.map((cursor) => cursor.takeAt(key));
          assert.deepEqual(
            taken,
            [left, right].map((all) => (all.includes(key) ? key : undefined)),
          );
          met.push(key);
        }
        assert.deepEqual(met, [...new Set([...left, ...right])].toSorted(byText));
        await merge.close();
      }),
    );
  });
});

function byText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
