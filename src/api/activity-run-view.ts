import { basename } from 'node:path';
import * as z from 'zod';
import { RUNNABLE_ACTIVITIES } from '../records/activities/activities.ts';
import type { RunSummary } from '../records/activities/run-summary.ts';
import { FOLLOWED } from '../records/activities/schedules.ts';
import type { Erratum } from '../records/errata/erratum.ts';
import type { Organization } from '../records/organization.ts';
import { type ActivityRun, hasErrata, RUN_STATES } from '../records/runs/activity-run.ts';
import type { RunPlace } from '../records/runs/find-runs.ts';
import { MOST_CRON } from '../records/stream-dump-settings.ts';
import { isTransformFile } from '../records/transforms/load-transform.ts';
import { count, datetime, formatTime } from './fields.ts';

/** The shapes of runs of activities in the JSON API. */

const path = z.string().meta({ maxLength: 1_000 });
const MOST_KEY = 1_000;

const options = {
  from: path
    .optional()
    .describe(
      'For a harvest: `stream:ORG/STREAM`, or `stream:ORG` for its default stream; or an NDJSON file, a folder or an s3:// location of documents, below one of `apiRoots`.',
    ),
  source: z.string().meta({ maxLength: 2_000 }).optional().describe('For a harvest: where the records came from.'),
  input: z.string().meta({ maxLength: MOST_KEY }).optional().describe('The key of the Avro file to read.'),
  plan: z.string().meta({ maxLength: MOST_KEY }).optional().describe('The key of a plan that names it.'),
  transform: path
    .optional()
    .describe('`identity`, `map-3.1`, or the path of a mapping (.json) below one of `apiRoots`.'),
  writePlan: z.literal(true).optional().describe('Writes a plan of this run and of those before it.'),
  acceptDrop: z.literal(true).optional().describe('Publishes also when there are far fewer records than before.'),
};

export const activitySchema = z.enum(RUNNABLE_ACTIVITIES);

export const newRunSchema = z
  .strictObject({ activity: activitySchema, ...options })
  .meta({ id: 'NewActivityRun', examples: [{ activity: 'mapping', transform: 'identity' }] });

const summarySchema = z
  .strictObject({
    attempted: count.describe('Records that were read, with those that failed.'),
    written: count,
    deleted: count.describe('Records that the provider reports as deleted.'),
    failed: count,
    duplicates: count.describe('Records that were left out because their id comes again.'),
    omitted: count.describe('Records for which the transform made nothing.'),
    errors: z.record(z.string(), count).describe('Failed records by kind, the most frequent first.'),
    seconds: z.number(),
    bytes: count.optional().describe('Of the Avro file; absent when nothing was published.'),
    previous: z
      .strictObject({ artifact: z.string(), written: count })
      .optional()
      .describe('The run before, with which it was compared.'),
    drop: z.number().optional().describe('The share of its records that is missing now, from 0 to 1.'),
  })
  .meta({ id: 'ActivityRunTotals' });

export const runErratumSchema = z
  .object({
    id: z.string().optional(),
    line: z.int().optional().describe('Of an NDJSON file, from 1.'),
    kind: z.string(),
    message: z.string(),
  })
  .meta({ id: 'ActivityRunError', description: 'A record that failed, or was left out.' });

export const runSchema = z
  .strictObject({
    organization: z.string(),
    activity: activitySchema,
    number: z.int().min(1),
    state: z
      .enum(RUN_STATES)
      .describe('`stopped`: nothing was published, since there are far fewer records than before, or none.'),
    added: datetime,
    started: datetime.optional().describe('When the last attempt began.'),
    ended: datetime.optional(),
    trigger: z.enum(['command', 'request', 'repeat', 'schedule', 'chain']).describe('What added it.'),
    after: z.string().optional().describe('For `chain`: the activity whose newer artifact it reads.'),
    sender: z.string().optional().describe('For `request` and `repeat`: who sent it. For administrators.'),
    job: z.string().optional().describe('The name of its job; absent for a run of a command.'),
    options: z.strictObject({ ...options, started: datetime.optional() }).describe('Paths are for administrators.'),
    generator: z.string().optional().describe('What it reads. A path is for administrators.'),
    artifact: z.string().optional().describe('The key of the Avro file, which exists since it has succeeded.'),
    plan: z.string().optional().describe('The key of the plan that it wrote.'),
    totals: summarySchema.optional().describe('Absent until it has succeeded or was stopped.'),
    failure: z.string().optional().describe('Why the last attempt failed.'),
    errors: z.string().optional().describe('Where its errors are, relative to the URL of the API; absent without any.'),
  })
  .meta({
    id: 'ActivityRun',
    description: 'A run of an activity, which makes an artifact of the records of a provider.',
  });

export const shownRunSchema = runSchema
  .extend({ firstErrors: z.array(runErratumSchema).describe('The first 20 errors; all of them are at `errors`.') })
  .meta({ id: 'ShownActivityRun', description: 'A run with its first errors.' });

const { from, source, transform, writePlan, acceptDrop } = options;
const whens = {
  cron: z.string().meta({ maxLength: MOST_CRON }).optional().describe('A pattern of CRON, such as 15 2 * * *.'),
  after: z
    .enum(FOLLOWED)
    .optional()
    .describe(
      'In place of a time: runs when this activity has a newer artifact than the one that it has read last; `stream`: when the stream of `from` has changed since.',
    ),
};
const scheduledOptions = { from, source, transform, writePlan, acceptDrop };

export const newScheduleSchema = z
  .strictObject({ ...whens, ...scheduledOptions })
  .meta({ id: 'NewActivitySchedule', examples: [{ after: 'harvest', transform: 'identity' }] });

export const scheduleSchema = z
  .strictObject({ activity: activitySchema, ...whens, ...scheduledOptions, since: datetime })
  .meta({ id: 'ActivitySchedule', description: 'When an activity runs by itself, and with which options.' });

export const runsSchema = z
  .strictObject({
    organization: z.string(),
    schedules: z.array(scheduleSchema).describe('When activities run by themselves. Paths are for administrators.'),
    runs: z.array(runSchema),
    after: z.string().optional().describe('For the parameter `after` of the next request; absent at the end.'),
  })
  .meta({ id: 'ActivityRuns' });

export type RunView = z.output<typeof runSchema>;
export type RunErrorView = z.output<typeof runErratumSchema>;
export type ScheduleView = z.output<typeof scheduleSchema>;

/** The view of a run. @param isWhole whether its reader may see paths of the server, and who requested it */
export function runView(run: ActivityRun, isWhole = true): RunView {
  const { organization, activity, number, state, added, started, ended, trigger, job, options } = run;
  const { generator, summary, plan, failure } = run;
  return {
    organization,
    activity,
    number,
    state,
    added: formatTime(added),
    ...(started !== undefined && { started: formatTime(started) }),
    ...(ended !== undefined && { ended: formatTime(ended) }),
    trigger: trigger.by,
    ...(trigger.by === 'chain' && { after: trigger.after }),
    ...('sender' in trigger && isWhole && { sender: trigger.sender }),
    ...(job !== undefined && { job }),
    options: defined(isWhole ? options : withoutPaths(run)),
    ...(generator !== undefined && (isWhole || isPublic(generator, organization)) && { generator }),
    ...(summary?.published && { artifact: summary.key }),
    ...(plan !== undefined && { plan }),
    ...(summary !== undefined && { totals: totalsView(summary) }),
    ...(failure !== undefined && { failure }),
    ...(summary !== undefined && hasErrata(summary) && { errors: errorsPath(run) }),
  };
}

/** The view of the schedules of an organization. @param isWhole as `runView` */
export function scheduleViews(
  { id, activities = [] }: Pick<Organization, 'id' | 'activities'>,
  isWhole = true,
): ScheduleView[] {
  return activities.map(({ activity, cron, after, options, since }) => ({
    activity,
    ...defined({ cron, after }),
    ...defined(isWhole ? options : withoutPaths({ organization: id, options })),
    since: formatTime(since),
  }));
}

function totalsView(summary: RunSummary): NonNullable<RunView['totals']> {
  const { attempted, written, deleted, failed, duplicates, omitted, errors, seconds, length, previous, drop } = summary;
  const numbers = { attempted, written, deleted, failed, duplicates, omitted };
  return {
    ...numbers,
    errors: { ...errors },
    seconds,
    ...(length !== undefined && { bytes: length }),
    ...(previous !== undefined && { previous: { artifact: previous.key, written: previous.written } }),
    ...(drop !== undefined && { drop }),
  };
}

function errorsPath({ organization, activity, number }: ActivityRun): string {
  return `organizations/${organization}/activities/${activity}/${number}/errors`;
}

function withoutPaths({
  organization,
  options,
}: Pick<ActivityRun, 'organization' | 'options'>): ActivityRun['options'] {
  const { from, source, transform, ...others } = options;
  const name = transform !== undefined && isTransformFile(transform) ? basename(transform) : transform;
  const stream = from !== undefined && isPublic(from, organization) && { from };
  return {
    ...others,
    ...stream,
    ...(source !== undefined && isPublic(source, organization) && { source }),
    transform: name,
  };
}

/** Whether it is a key of an artifact or a plan, or a URL, and no path of this machine or bucket. */
function isPublic(generator: string, organization: string): boolean {
  return generator.startsWith(`${organization}/`) || /^https?:\/\/|^(?:stdin|stream):/.test(generator);
}

function defined<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}

/** As the line in the file of errata has it. */
export function runErrorView({ id, line, kind = '', reason }: Erratum): RunErrorView {
  return { ...(id !== undefined && { id }), ...(line !== undefined && { line }), kind, message: reason };
}

/** The format of `runCursor`. */
const RUN_CURSOR = /^(\d{1,15})\.([a-z]+)\.(\d{1,9})$/;

/** A cursor with which clients continue a list after a run. */
export function runCursor({ added, activity, number }: RunPlace): string {
  return `${added}.${activity}.${number}`;
}

/** The place that a cursor names; undefined for any other text. */
export function parseRunCursor(text: string): RunPlace | undefined {
  const [, added, activity, number] = RUN_CURSOR.exec(text) ?? [];
  if (number === undefined) return undefined;
  return { added: Number(added), activity: activity as RunPlace['activity'], number: Number(number) };
}
