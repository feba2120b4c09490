import assert from 'node:assert/strict';
import { isTidemarkError } from '../../../src/core/errors.ts';
import { retryOf } from '../../../src/jobs/job-definition.ts';
import { JOB_DEFINITIONS } from '../../../src/jobs/job-list.ts';
import type { JobParts } from '../../../src/jobs/job-parts.ts';
import { cron, every, idOfTime } from '../../../src/jobs/schedule.ts';
import { LONGEST_PAUSE_MS } from '../../../src/stores/job.ts';

const at = (text: string) => Date.parse(text);
const text = (time: number | undefined) => (time === undefined ? undefined : new Date(time).toISOString());

describe('a schedule', () => {
  it('has the last time at or before, and the next one after', () => {
    const nightly = cron('15 2 * * *', 'UTC');
    assert.equal(text(nightly.last(at('2026-03-28T02:15:00Z'))), '2026-03-28T02:15:00.000Z');
    assert.equal(text(nightly.last(at('2026-03-28T02:15:00.500Z'))), '2026-03-28T02:15:00.000Z');
    assert.equal(text(nightly.last(at('2026-03-28T02:14:59.999Z'))), '2026-03-27T02:15:00.000Z');
    assert.equal(text(nightly.next(at('2026-03-28T02:14:59.999Z'))), '2026-03-28T02:15:00.000Z');
    assert.equal(text(nightly.next(at('2026-03-28T02:15:00Z'))), '2026-03-29T02:15:00.000Z');
  });

  it('follows its time zone, also when the clocks change', () => {
    const nightly = cron('15 3 * * *', 'Europe/Vienna');
    assert.equal(text(nightly.next(at('2026-03-28T12:00:00Z'))), '2026-03-29T01:15:00.000Z');
    assert.equal(text(nightly.next(at('2026-03-28T00:00:00Z'))), '2026-03-28T02:15:00.000Z');
    // That night has no 02:15, and the night in October has two.
    const skipped = cron('15 2 * * *', 'Europe/Vienna');
    assert.equal(text(skipped.next(at('2026-03-28T12:00:00Z')))?.slice(0, 10), '2026-03-29');
    const first = skipped.next(at('2026-10-24T12:00:00Z'))!;
    assert.equal(text(first), '2026-10-25T00:15:00.000Z');
    assert.equal(text(skipped.next(first)), '2026-10-26T01:15:00.000Z');
  });

  it('may be an interval, the same on every machine', () => {
    const hourly = every(3_600_000);
    assert.equal(text(hourly.last(at('2026-03-28T02:15:00Z'))), '2026-03-28T02:00:00.000Z');
    assert.equal(text(hourly.next(at('2026-03-28T02:00:00Z'))), '2026-03-28T03:00:00.000Z');
    assert.deepEqual([hourly.text, every(90_000).text, every(250).text], ['every 1h', 'every 90s', 'every 250ms']);
  });

  it('names its jobs by their times', () => {
    assert.equal(idOfTime(at('2026-03-28T02:15:00Z')), '20260328T021500Z');
    assert.equal(idOfTime(at('2026-03-28T02:15:00.250Z'), 'maps'), 'maps.20260328T021500.250Z');
  });

  it('is refused when it is none', () => {
    for (const [pattern, zone] of [
      ['0 3 * *', 'UTC'],
      ['0 25 * * *', 'UTC'],
      ['0 0 3 * * *', 'UTC'],
      ['0 3 * * *', 'Mars/Base'],
    ]) {
      assert.throws(
        () => cron(pattern!, zone!),
        (error) => isTidemarkError(error, 'invalid'),
      );
    }
  });
});

describe('a kind of job', () => {
  it('pauses for less time than the queue permits, which takes a longer pause for that of a wrong clock', () => {
    const parts = { configuration: { uploadRetries: 3 } } as JobParts;
    for (const definition of JOB_DEFINITIONS) {
      assert.ok(retryOf(definition, parts).longestMs < LONGEST_PAUSE_MS, definition.kind);
    }
  });
});
