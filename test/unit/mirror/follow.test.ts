import assert from 'node:assert/strict';
import { type Followed, follow } from '../../../src/client/mirror/follow.ts';
import type { PassReport } from '../../../src/client/mirror/mirror-options.ts';

describe('following a source', () => {
  const unhandled: unknown[] = [];
  const onUnhandled = (reason: unknown) => unhandled.push(reason);
  before(() => process.on('unhandledRejection', onUnhandled));
  after(() => process.off('unhandledRejection', onUnhandled));

  it('goes on by polling when its reading of the stream breaks, and throws what broke it in the end', async () => {
    const stopping = new AbortController();
    let passes = 0;
    const mirror: Followed = {
      eventsUri: 'http://source.example.org/stream',
      async pass() {
        passes += 1;
        if (passes === 3) stopping.abort();
        return {} as PassReport;
      },
    };
    const following = follow(mirror, {
      eventReader: { get: () => Promise.reject(new Error('broken')) },
      signal: stopping.signal,
      intervalMs: 1,
      onPass: async () => {},
      onOutage: () => {},
    });
    await assert.rejects(following, /broken/);
    assert.equal(passes, 3);
    assert.deepEqual(unhandled, []);
  });
});
