import { TidemarkError } from '../../core/errors.ts';
import type { Catalog } from '../../stores/catalog.ts';
import { latestPages } from '../../stores/latest-pages.ts';
import { RUNNABLE_ACTIVITIES, type RunnableActivity } from '../activities/activities.ts';
import { type ActivityRun, type NamedRun, RUN_KIND, runId, runsOf, runText } from './activity-run.ts';

type Reads = Pick<Catalog, 'get' | 'latest'>;

/** Number of documents that are read at a time. */
const BATCH = 50;

/** @throws TidemarkError `not-found` */
export async function getRun(catalog: Pick<Catalog, 'get'>, name: NamedRun): Promise<ActivityRun> {
  const found = await catalog.get<ActivityRun>(RUN_KIND, runId(name));
  if (found !== undefined) return found.body;
  throw new TidemarkError('not-found', `there is no run ${runText(name)}`, { run: runText(name) });
}

/** Yields the runs of an activity, newest first. */
async function* runsOfActivity(
  catalog: Pick<Catalog, 'latest'>,
  organization: string,
  activity: RunnableActivity,
): AsyncGenerator<ActivityRun> {
  const pages = latestPages<ActivityRun>(catalog, {
    kind: RUN_KIND,
    prefix: runsOf(organization, activity),
    limit: BATCH,
  });
  for await (const { documents } of pages) for (const { body } of documents) yield body;
}

export interface RunFilter {
  readonly activity?: RunnableActivity | undefined;
  /** The last run of the page before. */
  readonly after?: RunPlace | undefined;
  readonly limit: number;
}

/** The place of a run in the list of all activities. */
export type RunPlace = Pick<ActivityRun, 'added' | 'activity' | 'number'>;

/** The runs of an organization, those that were added last first. */
export async function listRuns(
  catalog: Pick<Catalog, 'latest'>,
  organization: string,
  { activity, after, limit }: RunFilter,
): Promise<readonly ActivityRun[]> {
  const activities = activity === undefined ? RUNNABLE_ACTIVITIES : [activity];
  const runs = activities.map((one) => runsOfActivity(catalog, organization, one));
  const heads = await Promise.all(runs.map(async (one) => (await one.next()).value));
  const found: ActivityRun[] = [];
  while (found.length < limit) {
    const head = newestOf(heads);
    if (head === undefined) break;
    const at = heads.indexOf(head);
    heads[at] = (await runs[at]!.next()).value;
    if (after === undefined || compare(head, after) > 0) found.push(head);
  }
  return found;
}

function newestOf(runs: readonly (ActivityRun | undefined)[]): ActivityRun | undefined {
  return runs.filter((run) => run !== undefined).toSorted(compare)[0];
}

/** Newest first. */
function compare(one: RunPlace, other: RunPlace): number {
  return other.added - one.added || (one.activity < other.activity ? -1 : one.activity > other.activity ? 1 : 0);
}

/** Jobs of an activity run one at a time, so the run of a job is one of the last. */
const MOST_SEARCHED = 200;

/** The run that a job has recorded, if it has. */
export async function findRunOfJob(
  catalog: Reads,
  { organization, activity }: Pick<NamedRun, 'organization' | 'activity'>,
  job: string,
): Promise<NamedRun | undefined> {
  let searched = 0;
  for await (const run of runsOfActivity(catalog, organization, activity)) {
    if (run.job === job) return run;
    if (++searched === MOST_SEARCHED) return undefined;
  }
  return undefined;
}
