import assert from 'node:assert/strict';
import { KeyCursor } from '../../src/sources/sync/key-cursor.ts';

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
