import type { Cron } from 'croner';
import { TidemarkError } from '../core/errors.ts';
import { parseCron } from '../lib/cron.ts';

/** Times at which something is done. They depend on nothing but the time, so they are the same on every machine. */
export interface Schedule {
  /** A description for users. */
  readonly text: string;
  /**
   * Whether the last time before the start counts when nothing was ever done; otherwise the first time is the next one.
   */
  readonly beginsAtOnce: boolean;
  /** The last time at or before a time; milliseconds since 1970, as `next`. Undefined when there is none. */
  last(now: number): number | undefined;
  /** The first time after a time. */
  next(now: number): number | undefined;
}

/** Schedules by their texts: sets with the same pattern share a schedule. */
const known = new Map<string, Schedule>();
const MOST_KNOWN = 10_000;

/**
 * @param pattern minute, hour, day of the month, month, day of the week: `15 2 * * *`
 * @param timeZone such as `Europe/Vienna`. A time that a change of the clocks skips is made up for just after it
 * @throws TidemarkError `invalid`
 */
export function cron(pattern: string, timeZone: string): Schedule {
  const text = `${pattern} (${timeZone})`;
  const found = known.get(text);
  if (found !== undefined) return found;
  const times = parse(pattern, timeZone);
  const schedule = rememberingTimes({
    text,
    beginsAtOnce: false,
    last: (now) => times.previousRuns(1, new Date(now + 1000 - (now % 1000)))[0]?.getTime(),
    next: (now) => times.nextRun(new Date(now))?.getTime(),
  });
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(text, schedule);
  return schedule;
}

/** Computes new times only when one of them has come: they are read every 10 seconds, for every set. */
function rememberingTimes(schedule: Schedule): Schedule {
  let last: number | undefined;
  let next: number | undefined;
  const read = (now: number) => {
    if (last !== undefined && next !== undefined && last <= now && now < next) return;
    last = schedule.last(now);
    next = schedule.next(now);
  };
  return {
    ...schedule,
    last(now) {
      read(now);
      return last;
    },
    next(now) {
      read(now);
      return next;
    },
  };
}

/** The multiples of an interval since 1970. */
export function every(intervalMs: number): Schedule {
  return {
    text: `every ${durationText(intervalMs)}`,
    beginsAtOnce: true,
    last: (now) => now - (now % intervalMs),
    next: (now) => now - (now % intervalMs) + intervalMs,
  };
}

/** The id of the job of a scheduled time: `20261123T021500Z`, or `maps.20261123T021500Z` for a set. */
export function idOfTime(time: number, set?: string): string {
  const text = new Date(time).toISOString().replaceAll(/[-:]|\.000/g, '');
  return set === undefined ? text : `${set}.${text}`;
}

function parse(pattern: string, timeZone: string): Cron {
  try {
    return parseCron(pattern, timeZone);
  } catch (error) {
    const { message } = error as Error;
    throw new TidemarkError('invalid', `"${pattern}" in ${timeZone} is not a schedule: ${message}`, {}, error);
  }
}

/** Formats a duration as in settings: `90s`, `1h`. */
function durationText(milliseconds: number): string {
  const units = [
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1_000],
  ] as const;
  const [unit, length] = units.find(([, length]) => milliseconds % length === 0) ?? ['ms', 1];
  return `${milliseconds / length}${unit}`;
}
