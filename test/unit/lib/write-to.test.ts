import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { writeTo } from '../../../src/lib/bytes/write-to.ts';

describe('writing to a stream', () => {
  it('waits for room, each time, and leaves no listeners behind', async () => {
    const stream = new PassThrough({ highWaterMark: 1 });
    const listeners = () => ['drain', 'close'].map((event) => stream.listenerCount(event));
    const before = listeners();
    for (let written = 0; written < 30; written++) {
      const writing = writeTo(stream, 'abc');
      assert.equal(stream.writableNeedDrain, true);
      stream.read();
      assert.equal(await writing, true);
    }
    assert.deepEqual(listeners(), before);
  });

  it('says that the stream takes nothing any more, also while it waits', async () => {
    const stream = new PassThrough({ highWaterMark: 1 });
    const writing = writeTo(stream, 'abc');
    stream.destroy();
    assert.equal(await writing, false);
    assert.equal(await writeTo(stream, 'abc'), false);
  });
});
