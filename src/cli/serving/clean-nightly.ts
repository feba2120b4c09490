import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { App } from '../../app.ts';
import { cron } from '../../jobs/schedule.ts';

const NIGHTLY = '30 3 * * *';
/** Longest time between two reads of the clock: it may be set, and the machine may sleep. */
const LONGEST_PAUSE_MS = 10_000;

/**
 * Removes leftovers of killed processes from the data folder every night. This is not a job, because any machine may
 * run a job, and these files are on the disk of one machine. Runs until the signal.
 */
export async function cleanNightly(app: App, logger: Logger, stopped: AbortSignal): Promise<void> {
  const schedule = cron(NIGHTLY, app.configuration.timeZone);
  for (let next = schedule.next(Date.now())!; !stopped.aborted; ) {
    const pauseMs = Math.min(Math.max(next - Date.now(), 1), LONGEST_PAUSE_MS);
    await wait(pauseMs, undefined, { signal: stopped, ref: false }).catch(() => {});
    if (stopped.aborted || Date.now() < next) continue;
    next = schedule.next(Date.now())!;
    await removeLeftOver(app).catch((error: unknown) =>
      logger.warn({ err: error }, 'what killed processes left was not removed'),
    );
  }
}

/** Removes leftovers of each kind, also when another kind fails. */
export async function removeLeftOver({ publishing, sources }: App): Promise<void> {
  await Promise.all([publishing.cache.removeLeftOver(), sources.removeCopies()]);
}
