import assert from 'node:assert/strict';
import { formatClock, formatDay, formatTime, sentence } from '../../../src/http/pages/parts/words.ts';
import { formatAgo } from '../../../src/lib/format-ago.ts';

const NOW = Date.UTC(2026, 10, 21, 19, 22, 27);
const SECONDS = { second: 1, minute: 60, hour: 3600, day: 86_400, month: 2_629_800, year: 31_557_600 } as const;

describe('Times on pages', () => {
  it('are said as Intl says how long ago they were', () => {
    const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
    for (const [unit, length] of Object.entries(SECONDS) as [keyof typeof SECONDS, number][]) {
      for (const count of unit === 'second' ? [5, 59] : [1, 2, 11]) {
        assert.equal(formatAgo(NOW - count * length * 1000, NOW), words.format(-count, unit));
      }
    }
    assert.equal(formatAgo(NOW - 4000, NOW), 'just now');
  });

  it('are said exactly, in UTC', () => {
    assert.equal(formatTime(NOW), '21 Nov 2026, 19:22:27 UTC');
    assert.equal(formatDay(new Date(Date.UTC(2027, 0, 1))), '1 Jan');
    assert.equal(formatClock(new Date(NOW)), '19:22');
  });
});

describe('A message on a page', () => {
  it('is a sentence, or ends with the question that it asks', () => {
    assert.equal(sentence('there is no set "maps"'), 'There is no set "maps".');
    assert.equal(
      sentence('there is no set "map": did you mean "maps"?'),
      'There is no set "map": did you mean "maps"?',
    );
  });
});
