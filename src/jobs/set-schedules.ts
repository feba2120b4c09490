import type { ScheduleSetting } from '../core/resource-set.ts';
import type { Scheduled } from './job-definition.ts';
import type { JobParts } from './job-parts.ts';
import { cron } from './schedule.ts';

/** Payload of a job for one set. */
export interface OfSet {
  /** Its slug. */
  readonly set: string;
}

/**
 * A schedule for each set that has this setting. The sets are read again at least every 10 seconds, so every process
 * that runs jobs follows a change. A set that is read for the first time, or moved, waits until it is ready; then its
 * last missed time is made up for.
 */
export async function schedulesOfSets(
  setting: ScheduleSetting,
  { sets, configuration: { timeZone } }: JobParts,
): Promise<readonly Scheduled<OfSet>[]> {
  return (await sets.list()).flatMap(({ slug, ready, scheduledSince, [setting]: pattern }) => {
    if (pattern === undefined || !ready) return [];
    const since = (scheduledSince?.[setting] ?? 0) / 1000;
    return [{ schedule: cron(pattern, timeZone), payload: { set: slug }, set: slug, since }];
  });
}
