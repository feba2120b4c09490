import { TidemarkError } from '../core/errors.ts';
import { parseDatetime } from '../core/w3c-datetime.ts';

const HOUR = 3_600_000;
const UNITS = { m: 60_000, h: HOUR, d: 24 * HOUR, w: 168 * HOUR, y: 8766 * HOUR } as const;
/** Milliseconds: longer durations are probably mistakes. */
const LONGEST = 100 * UNITS.y;

/**
 * When a token expires, in milliseconds since 1970: after a duration (`90d`), at the beginning of a day in UTC
 * (`2027-01-31`), or at a W3C datetime.
 * @throws TidemarkError `invalid`, also for a time in the past
 */
export function parseExpiry(text: string, now: number): number {
  const time = readTime(text.trim(), now);
  if (time === undefined) {
    const shown = JSON.stringify(text.slice(0, 80));
    throw wrong(`${shown} is not a time: use a duration such as 90d, 12h or 1y, or a date such as 2027-01-31`);
  }
  if (time <= now) throw wrong(`${text} is in the past: choose a later time`);
  if (time > now + LONGEST)
    throw wrong(`${text} is more than 100 years away: leave it out for a token that never expires`);
  return time;
}

function readTime(text: string, now: number): number | undefined {
  const [, count, unit] = /^(\d{1,6})([mhdwy])$/.exec(text) ?? [];
  if (count !== undefined) return now + Number(count) * UNITS[unit as keyof typeof UNITS];
  const microseconds = parseDatetime(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
  return typeof microseconds === 'number' ? Math.floor(microseconds / 1000) : undefined;
}

function wrong(message: string): TidemarkError {
  return new TidemarkError('invalid', message, { field: 'expires' });
}
