import assert from 'node:assert/strict';
import { isTidemarkError } from '../../../../src/core/errors.ts';
import { CalledThread, startWorker } from '../../../../src/lib/workers/rpc.ts';
import { limitReading } from '../../../../src/records/deliveries/limit-reading.ts';
import type { TestFunctions } from '../../../support/rpc.worker.ts';

describe('the limit of processor time for reading an upload', () => {
  it('stops a thread that exceeds it, and says what to do', async () => {
    const start = () => startWorker('../../../support/rpc.worker', import.meta.url, { workerData: undefined });
    const thread = new CalledThread<TestFunctions>({ work: 'the test', start, idleMs: 10_000 });
    using _ = limitReading(thread, 2e6, { ms: 100, msOfMb: 100 });
    await assert.rejects(thread.call('spin', []), (error) => {
      assert.ok(isTidemarkError(error, 'invalid'));
      const expected =
        /^reading it was stopped after \d s of processor time, .* files of 2\.00 MB need: try parts of it with "tidemark uploads check"/;
      assert.match(error.message, expected);
      return true;
    });
  });
});
