import { TidemarkError } from '../../core/errors.ts';
import { parseCron } from '../../lib/cron.ts';
import { MOST_CRON } from '../stream-dump-settings.ts';
import { GENERATORS, RULES, type RunnableActivity } from './activities.ts';
import { type RunOptionsGiven, requireFitting } from './run-request.ts';
import { isStreamInput } from './stream-input.ts';

/** What an activity can follow: another one; or, for a harvest, the stream that it reads. */
export const FOLLOWED = [...GENERATORS, 'stream'] as const;
export type Followed = (typeof FOLLOWED)[number];

/** When an activity of a provider runs by itself: one schedule for each activity, by time or after another activity. */
export interface ActivitySchedule {
  readonly activity: RunnableActivity;
  /** A CRON pattern. */
  readonly cron?: string | undefined;
  /**
   * It runs when this activity has a newer artifact than the one that it has read last; or when the stream that it
   * reads has changed since.
   */
  readonly after?: Followed | undefined;
  readonly options: Pick<RunOptionsGiven, 'from' | 'source' | 'transform' | 'writePlan' | 'acceptDrop'>;
  /** Time when it was set, in milliseconds since 1970: earlier times that match the pattern are ignored. */
  readonly since: number;
}

export type GivenSchedule = Omit<ActivitySchedule, 'since'>;

/** Replaces the schedule of an activity. @param given undefined removes it. @throws TidemarkError `invalid` */
export function changedSchedules(
  before: readonly ActivitySchedule[] = [],
  activity: RunnableActivity,
  given: GivenSchedule | undefined,
): readonly ActivitySchedule[] {
  const others = before.filter((one) => one.activity !== activity);
  if (given === undefined) return others;
  check(given);
  return [...others, { ...given, since: Date.now() }];
}

function check({ activity, cron, after, options }: GivenSchedule): void {
  if ((cron === undefined) === (after === undefined))
    throw invalid('cron', 'name a time (cron) or an activity (after)');
  if (cron !== undefined) checkCron(cron);
  if (after !== undefined) checkAfter(activity, after, options);
  if (options.from === '-') throw invalid('from', 'a job has no standard input: name a file or a folder');
  requireFitting({ provider: '', activity, ...options });
}

function checkCron(pattern: string): void {
  try {
    if (pattern.length > MOST_CRON) throw new Error(`it has more than ${MOST_CRON} characters`);
    parseCron(pattern, 'UTC');
  } catch (error) {
    const text = JSON.stringify(pattern.slice(0, MOST_CRON));
    throw invalid('cron', `${text} is not a schedule: ${(error as Error).message}`);
  }
}

function checkAfter(activity: RunnableActivity, after: Followed, { from }: GivenSchedule['options']): void {
  const generators: readonly Followed[] = activity === 'harvest' ? [] : RULES[activity].generators.flat();
  if (generators.includes(after)) return;
  if (after === 'stream') {
    if (activity === 'harvest' && isStreamInput(from)) return;
    throw invalid('after', 'only a harvest --from stream:ORG/STREAM can run after each change of a stream');
  }
  const reads = generators.length === 0 ? 'no activity' : generators.join(' or ');
  throw invalid('after', `${activity} reads the files of ${reads}, not of ${after}`);
}

function invalid(field: string, message: string): TidemarkError {
  return new TidemarkError('invalid', message, { field });
}
