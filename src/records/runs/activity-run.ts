import type { ObjectKey } from '../../artifacts/artifact-store.ts';
import { TidemarkError } from '../../core/errors.ts';
import { RUNNABLE_ACTIVITIES, type RunnableActivity } from '../activities/activities.ts';
import type { RunOptionsGiven } from '../activities/run-request.ts';
import type { RunSummary } from '../activities/run-summary.ts';

/**
 * `waiting`: for its job; `succeeded`: its artifact exists; `failed`: nothing was published, and `failure` says why;
 * `stopped`: nothing was published, because there are far fewer records than in the run before, or none.
 */
export const RUN_STATES = ['waiting', 'running', 'succeeded', 'failed', 'stopped'] as const;
type RunState = (typeof RUN_STATES)[number];

/** What identifies a run. */
export interface NamedRun {
  /** The id of the organization, which is the provider. */
  readonly organization: string;
  readonly activity: RunnableActivity;
  /** From 1, in the order in which the runs of the activity were added. */
  readonly number: number;
}

/**
 * A run of an activity: a document of the catalog, which each step replaces by compare-and-set. Times are in
 * milliseconds since 1970.
 */
export interface ActivityRun extends NamedRun {
  readonly state: RunState;
  readonly added: number;
  /** A random text that identifies the process that recorded this run. */
  readonly token: string;
  /** When the last attempt began. */
  readonly started?: number;
  readonly ended?: number | undefined;
  readonly options: RunOptionsGiven;
  /** What added it. */
  readonly trigger: RunTrigger;
  /** The name of its job; absent for a run of a command. */
  readonly job?: string;
  /** For a run of a command: its heartbeat, without which it has failed. */
  readonly beat?: RunBeat;
  /** The key of the Avro file that the last attempt writes: an attempt that has another one has ended. */
  readonly claimed?: ObjectKey;
  /** What the run reads, for the provenance; known since it is claimed. */
  readonly generator?: string;
  /** What it did; present when it has succeeded or was stopped. */
  readonly summary?: RunSummary;
  /** The key of the plan that it wrote. */
  readonly plan?: ObjectKey | undefined;
  /** Why the last attempt failed: a sentence without a full stop. */
  readonly failure?: string | undefined;
}

export type RunTrigger =
  | { readonly by: 'command' }
  /** @param sender for administrators */
  | { readonly by: 'request'; readonly sender: string }
  /** A request that repeats a run with the options of a command or a schedule. */
  | { readonly by: 'repeat'; readonly sender: string }
  | { readonly by: 'schedule' }
  /** A newer artifact of another activity. */
  | { readonly by: 'chain'; readonly after: string };

export interface RunBeat {
  /** The process, for people. */
  readonly worker: string;
  /** Milliseconds without a beat after which the process counts as dead. */
  readonly leaseMs: number;
  /** Number of beats so far. Only its change matters. */
  readonly beats: number;
}

export const RUN_KIND = 'activity-run';
const DIGITS = 9;

/** The id of the document in the catalog: ids sort as their numbers do. */
export function runId({ organization, activity, number }: NamedRun): string {
  return `${runsOf(organization, activity)}${String(number).padStart(DIGITS, '0')}`;
}

/** The prefix of the ids of all runs of an activity. */
export function runsOf(organization: string, activity: RunnableActivity): string {
  return `${organization}/${activity}/`;
}

/** Names a run for people, and in commands: `cdl/mapping/3`. */
export function runText({ organization, activity, number }: NamedRun): string {
  return `${organization}/${activity}/${number}`;
}

/** @throws TidemarkError `not-found` for texts that name no run */
export function parseRun(organization: string, name: string, number: string): NamedRun {
  const activity = RUNNABLE_ACTIVITIES.find((one) => one === name);
  if (activity !== undefined && /^[1-9]\d{0,8}$/.test(number))
    return { organization, activity, number: Number(number) };
  const run = `${name}/${number}`.slice(0, 80);
  throw new TidemarkError('not-found', `there is no run ${JSON.stringify(run)}: use an activity and a number`);
}

export function isOpenRun({ state }: Pick<ActivityRun, 'state'>): boolean {
  return state === 'waiting' || state === 'running';
}

/** Whether the run has an errata file. That of a run that was stopped does not list records whose id comes again. */
export function hasErrata({ failed, duplicates, published }: RunSummary): boolean {
  return failed > 0 || (published && duplicates > 0);
}
