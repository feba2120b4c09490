import assert from 'node:assert/strict';
import { Closers } from '../../../src/lib/closers.ts';

describe('Closers', () => {
  it('close in the reverse order, one after the other, and only once', async () => {
    const closers = new Closers();
    const closed: string[] = [];
    closers.add(() => {
      closed.push('first');
    });
    closers.add(async () => {
      await Promise.resolve();
      closed.push('second');
    });
    await closers.close();
    await closers.close();
    assert.deepEqual(closed, ['second', 'first']);
  });

  it('close the rest when one of them fails, and then throw the first failure', async () => {
    const closers = new Closers();
    const failure = new Error('the second cannot be closed');
    let closed = false;
    closers.add(() => {
      closed = true;
    });
    closers.add(() => {
      throw new Error('nor can the first');
    });
    closers.add(() => Promise.reject(failure));
    await assert.rejects(closers.close(), failure);
    assert.ok(closed);
  });
});
