import { Cron, type CronOptions } from 'croner';

const FIVE_FIELDS = /^\S+(?: \S+){4}$/;

/**
 * The times of a CRON pattern: minute, hour, day of the month, month, day of the week, such as `15 2 * * *`. The same
 * on every machine: `?`, which means the time at which the pattern is read, is not allowed.
 * @throws Error with what is wrong with the pattern or the time zone
 */
export function parseCron(pattern: string, timeZone: string): Cron {
  if (!FIVE_FIELDS.test(pattern) || pattern.includes('?')) {
    throw new Error('use minute, hour, day of the month, month and day of the week, such as 15 2 * * *');
  }
  // A named time zone loads `Intl`, which takes 9 MB.
  const zone = timeZone === 'UTC' ? { utcOffset: 0 } : { timezone: timeZone };
  const times = parsed(pattern, { paused: true, mode: '5-part', ...zone });
  // Croner checks the time zone only at its first use.
  if (times.nextRun() === null) throw new Error('that time never comes');
  return times;
}

function parsed(pattern: string, options: CronOptions): Cron {
  try {
    return new Cron(pattern, options);
  } catch (error) {
    throw new Error((error as Error).message.replace('CronPattern: ', ''), { cause: error });
  }
}
