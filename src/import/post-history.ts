import type { ChangeEvent } from '../domain/change.ts';
import { decodeState } from '../domain/resource.ts';
import type { ResourceSet } from '../domain/resource-set.ts';
import type { Stamp } from '../domain/stamp.ts';
import type { CommitResult } from '../stores/resource-index.ts';
import type { HistoryEntry } from './scratch.ts';

/** Who says it, for the log: what it has of this source up to a position is not posted again. */
export const SOURCE = 'import-index';
const PER_POSTING = 5_000;
/** Microseconds: the times of the protocol are whole seconds. */
const RESOLUTION = 1_000_000;

/** What became of the history of a set. */
export interface PostedHistory {
  created: number;
  updated: number;
  deleted: number;
  /** Told nothing new: a state that was there, or the deletion of what was not. */
  unchanged: number;
  /** Were posted by an earlier import. */
  known: number;
  /** Got a later time than they had, because the log had come further. */
  restamped: number;
}

export interface HistoryPosting {
  readonly history: Iterable<HistoryEntry>;
  /** The sets by the numbers that entries have. */
  readonly sets: ReadonlyMap<number, ResourceSet>;
  post(events: readonly ChangeEvent[]): Promise<readonly CommitResult[]>;
  readonly signal: AbortSignal | undefined;
  onProgress(done: number): void;
}

/** Posts changes in their order, each with its time, and as its position that time too, so that posting them again changes nothing. */
export async function postHistory(posting: HistoryPosting): Promise<ReadonlyMap<number, PostedHistory>> {
  const { sets, post, signal, onProgress } = posting;
  const totals = new Map([...sets.values()].map(({ id }) => [id, noneYet()]));
  let done = 0;
  let underWay: Promise<void> = Promise.resolve();
  for (const events of batches(posting)) {
    const posted = post(events).then((results) => {
      for (const [at, result] of results.entries()) count(totals.get(events[at]!.set)!, events[at]!, result);
      done += events.length;
      onProgress(done);
    });
    posted.catch(() => {});
    // While one batch is committed, the next one is read.
    await underWay;
    underWay = posted;
    signal?.throwIfAborted();
  }
  await underWay;
  return new Map([...sets].map(([number, { id }]) => [number, totals.get(id)!]));
}

function* batches({ history, sets }: HistoryPosting): Iterable<readonly ChangeEvent[]> {
  const positions = new Map<number, Stamp>();
  let events: ChangeEvent[] = [];
  for (const { target, key, state, weight, time } of history) {
    const set = sets.get(target);
    if (set === undefined) continue;
    // Ascending, also where several changes have the same time.
    const position = Math.max(time, (positions.get(target) ?? 0) + 2);
    positions.set(target, position);
    events.push({
      set: set.id,
      key,
      state: state === null ? undefined : decodeState(state),
      weight,
      source: SOURCE,
      position,
      time,
    });
    if (events.length < PER_POSTING) continue;
    yield events;
    events = [];
  }
  if (events.length > 0) yield events;
}

function count(totals: PostedHistory, { time }: ChangeEvent, result: CommitResult): void {
  if (result.status === 'applied') {
    totals[result.kind] += 1;
    if (result.stamp >= time! + RESOLUTION) totals.restamped += 1;
  } else if (result.status === 'unchanged' && result.reason === 'repeated') totals.known += 1;
  else totals.unchanged += 1;
}

function noneYet(): PostedHistory {
  return { created: 0, updated: 0, deleted: 0, unchanged: 0, known: 0, restamped: 0 };
}
