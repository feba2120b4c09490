import assert from 'node:assert/strict';
import { TidemarkError } from '../../../../src/core/errors.ts';
import type { FetchAgain } from '../../../../src/records/arrivals/upload-state.ts';
import { fetchAgain, waitMs } from '../../../../src/records/deliveries/fetch-again.ts';
import { LONGEST_PAUSE_MS } from '../../../../src/stores/job.ts';

const HOUR_MS = 3_600_000;

/** Seconds since the first failure at which a file is fetched again. */
function attempts(retryAfterMs = 0): readonly number[] {
  const error = new TidemarkError('unavailable', 'no answer', { retryAfterMs });
  const times: number[] = [];
  let now = 0;
  for (let before: FetchAgain | undefined; ; now = before.nextAt) {
    before = fetchAgain({ error, before, now, retryMs: HOUR_MS });
    if (before === undefined) return times;
    times.push(before.nextAt / 1_000);
  }
}

describe('the attempts to fetch the file of an upload (135)', () => {
  it('are spread over an hour, and the last one is at its end', () => {
    assert.deepEqual(attempts(), [10, 20, 40, 80, 160, 320, 640, 1_280, 2_480, 3_600]);
  });

  it('wait for the time of the server, but no longer than that hour', () => {
    assert.deepEqual(attempts(1_800_000), [1_800, 3_600]);
    assert.deepEqual(attempts(86_400_000), [3_600]);
  });

  it('are no more after what is permanent', () => {
    const error = new TidemarkError('invalid', 'it is too large');
    assert.equal(fetchAgain({ error, before: undefined, now: 0, retryMs: HOUR_MS }), undefined);
  });

  it('never let a job wait for so long that it seems due', () => {
    assert.ok(waitMs({ since: 0, nextAt: HOUR_MS }, 0) < LONGEST_PAUSE_MS);
  });
});
