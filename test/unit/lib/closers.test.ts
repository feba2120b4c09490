import assert from 'node:assert/strict';
import { TidemarkError } from '../../../src/core/errors.ts';
import { Closers } from '../../../src/lib/calls/closers.ts';

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

  it('close the rest when some of them fail, and then throw all failures', async () => {
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
    await assert.rejects(closers.close(), (error: AggregateError) => {
      assert.equal(error.message, 'the second cannot be closed; nor can the first');
      return error.errors[0] === failure;
    });
    assert.ok(closed);
  });

  it('throw a single failure as it is, and several with the code of the first', async () => {
    const closers = new Closers();
    const failure = new TidemarkError('unavailable', 'the disk is full', { file: 'a' });
    closers.add(() => Promise.reject(failure));
    await assert.rejects(closers.close(), failure);
    closers.add(() => Promise.reject(new Error('nor can this one')));
    closers.add(() => Promise.reject(failure));
    const both = { code: 'unavailable', message: 'the disk is full; nor can this one', details: { file: 'a' } };
    await assert.rejects(closers.close(), both);
  });
});
