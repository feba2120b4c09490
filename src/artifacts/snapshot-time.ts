import { TidemarkError } from '../core/errors.ts';
import { parseDatetime } from '../core/w3c-datetime.ts';
import { parseTimestamp } from './timestamp.ts';

/**
 * Parses a time that a user gives: a timestamp as in keys (`20170209_104428`), a W3C datetime with its time zone, or a
 * day (`2017-02-09`, `20170209`), which means its end. Timestamps and days are in UTC.
 * @throws TidemarkError `invalid`
 */
export function parseSnapshotTime(text: string): Date {
  const day = /^(\d{4})-?(\d\d)-?(\d\d)$/.exec(text);
  const timestamp = parseTimestamp(day === null ? text : `${day[1]}${day[2]}${day[3]}_235959`);
  if (timestamp !== undefined) return timestamp;
  const parsed = parseDatetime(text);
  if (typeof parsed === 'number') return new Date(Math.floor(parsed / 1000));
  throw new TidemarkError(
    'invalid',
    `"${text}" is ${day === null ? parsed : 'not a day or time that exists'}: use one such as 20170209_104428, 2017-02-09T10:44:28Z or 2017-02-09`,
    { time: text },
  );
}
