import { basename } from 'node:path';
import { TidemarkError } from '../core/errors.ts';
import type { RunSummary } from '../records/activities/run-summary.ts';
import type { Erratum } from '../records/errata/erratum.ts';
import type { Organization } from '../records/organization.ts';
import { type ActivityRun, hasErrata } from '../records/runs/activity-run.ts';
import type { RunPlace } from '../records/runs/find-runs.ts';
import { isTransformFile } from '../records/transforms/load-transform.ts';
import type { RunErrorView, RunView, ScheduleView } from './activity-run-schemas.ts';
import { formatTime } from './format-time.ts';

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
  const { from: _, source, transform, ...others } = options;
  const name = transform !== undefined && isTransformFile(transform) ? basename(transform) : transform;
  return { ...others, ...(source !== undefined && isPublic(source, organization) && { source }), transform: name };
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

/** @throws TidemarkError `invalid` */
export function parseRunCursor(text: string): RunPlace {
  const [, added, activity, number] = RUN_CURSOR.exec(text) ?? [];
  if (number === undefined) {
    throw new TidemarkError('invalid', `"${text.slice(0, 80)}" is not a place in the list of runs`, { field: 'after' });
  }
  return { added: Number(added), activity: activity as RunPlace['activity'], number: Number(number) };
}
