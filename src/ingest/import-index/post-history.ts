import type { ChangeEvent } from '../../core/change.ts';
import { decodeState } from '../../core/resource.ts';
import { isPublished, type ResourceSet } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import { mapInOrder } from '../../lib/calls/map-in-order.ts';
import type { CommitResult } from '../../stores/commit-result.ts';
import type { HistoryEntry } from './scratch.ts';

/** The `source` of the events: the log ignores its events up to the last recorded position. */
export const SOURCE = 'import-index';
const PER_POSTING = 5_000;
/** While one is committed, the next one is read. */
const POSTINGS_IN_FLIGHT = 2;
/** Microseconds: the times of the protocol are whole seconds. */
const RESOLUTION = 1_000_000;

/** The results of the history of a set. */
export interface PostedHistory {
  created: number;
  updated: number;
  deleted: number;
  /** Changes without effect: the same state again, or the deletion of an unknown resource. */
  unchanged: number;
  /** Changes that an earlier import posted. */
  known: number;
  /**
   * Changes that got a later time than they had, because the set is already published, or because the log has later
   * changes.
   */
  restamped: number;
}

interface HistoryPosting {
  /** All changes in the order of time. Each call starts from the beginning. */
  history(): Iterable<HistoryEntry>;
  /** The sets, by the numbers in entries. */
  readonly sets: ReadonlyMap<number, ResourceSet>;
  post(events: readonly ChangeEvent[]): Promise<readonly CommitResult[]>;
  readonly signal: AbortSignal | undefined;
  onProgress(done: number): void;
}

interface Batch {
  readonly events: readonly ChangeEvent[];
  /** The time of each change. */
  readonly times: readonly Stamp[];
}

/**
 * Posts changes in the order of time. The time of each is also its position, so posting it again changes nothing. A
 * change of a set that is not published yet keeps its time. A change of a published set gets the present time: clients
 * have read the lists of that set, and request newer changes.
 */
export async function postHistory(posting: HistoryPosting): Promise<ReadonlyMap<number, PostedHistory>> {
  const { sets, post, signal, onProgress } = posting;
  const totals = new Map([...sets.values()].map(({ id }) => [id, noneYet()]));
  let done = 0;
  const posted = mapInOrder(inOrder(posting), POSTINGS_IN_FLIGHT, async ({ events, times }) => {
    const results = await post(events);
    for (const [at, result] of results.entries()) count(totals.get(events[at]!.set)!, times[at]!, result);
    done += events.length;
    onProgress(done);
  });
  for await (const _ of posted) if (signal?.aborted) break;
  signal?.throwIfAborted();
  return new Map([...sets].map(([number, { id }]) => [number, totals.get(id)!]));
}

/**
 * The sets that keep their times come first: a change posted at the present time would move all later ones to the
 * present.
 */
function* inOrder(posting: HistoryPosting): Iterable<Batch> {
  for (const published of [false, true]) {
    const sets = new Map([...posting.sets].filter(([, set]) => isPublished(set) === published));
    if (sets.size > 0) yield* batches({ ...posting, sets });
  }
}

function* batches({ history, sets }: Pick<HistoryPosting, 'history' | 'sets'>): Iterable<Batch> {
  const positions = new Map<number, Stamp>();
  let events: ChangeEvent[] = [];
  let times: Stamp[] = [];
  for (const { target, key, state, weight, order, time } of history()) {
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
      ...(order !== null && { order }),
      ...(!isPublished(set) && { time }),
    });
    times.push(time);
    if (events.length < PER_POSTING) continue;
    yield { events, times };
    events = [];
    times = [];
  }
  if (events.length > 0) yield { events, times };
}

function count(totals: PostedHistory, time: Stamp, result: CommitResult): void {
  if (result.status === 'applied') {
    totals[result.kind] += 1;
    if (result.stamp >= time + RESOLUTION) totals.restamped += 1;
  } else if (result.status === 'unchanged' && result.reason === 'repeated') totals.known += 1;
  else totals.unchanged += 1;
}

function noneYet(): PostedHistory {
  return { created: 0, updated: 0, deleted: 0, unchanged: 0, known: 0, restamped: 0 };
}
