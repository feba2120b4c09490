import type { Change } from '../../core/change.ts';
import { encodeState, type Resource, type Tombstone } from '../../core/resource.ts';
import type { SetId } from '../../core/resource-set.ts';
import { formatStamp, type Stamp } from '../../core/stamp.ts';
import type { ChangeLog } from '../../stores/change-log.ts';
import type { ResourceStates } from '../../stores/resource-states.ts';
import type { DifferenceList } from './differences.ts';

export interface LogInput {
  readonly set: SetId;
  readonly index: ChangeLog & ResourceStates;
  readonly until: Stamp;
  readonly differences: DifferenceList;
  readonly onProgress: (done: number) => void;
}

interface LogCounts {
  changes: number;
  /** Number of changes that are the last of their key: the state has their stamp. */
  matched: number;
  /** Number of states whose order is above that of their last change. */
  raised: number;
  /** Number of resources that were created and not deleted. */
  live: number;
  lastStamp: Stamp;
}

/** Compares every change up to `until` with the state of its key: the state must be that change, or a later one. */
export async function verifyLog({ set, index, until, differences, onProgress }: LogInput): Promise<LogCounts> {
  const counts: LogCounts = { changes: 0, matched: 0, raised: 0, live: 0, lastStamp: 0 };
  for await (const batch of index.changes(set, { after: 0, until })) {
    const states = await index.lookup(
      set,
      batch.map(({ key }) => key),
    );
    for (const [at, change] of batch.entries()) {
      const state = states[at];
      const message = orderProblem(change, counts.lastStamp);
      if (message !== undefined) differences.add({ kind: 'order', key: change.key, message });
      const problem = stateProblem(change, state);
      if (problem !== undefined) differences.add({ kind: 'state', key: change.key, message: problem });
      const fallen = fallenOrder(change, state);
      if (fallen !== undefined) differences.add({ kind: 'state', key: change.key, message: fallen });
      count(counts, change, state);
    }
    onProgress(counts.changes);
  }
  return counts;
}

function orderProblem({ stamp }: Change, last: Stamp): string | undefined {
  if (stamp > last) return undefined;
  return `its change of ${formatStamp(stamp)} comes after one of ${formatStamp(last)}`;
}

function stateProblem(change: Change, state: Resource | Tombstone | undefined): string | undefined {
  const subject = `its change of ${formatStamp(change.stamp)} (${change.kind})`;
  if ((change.kind === 'deleted') !== (change.state === undefined)) return `${subject} does not fit the log after it`;
  if (state === undefined) return `${subject} left no state`;
  if (state.stamp < change.stamp) return `${subject} is newer than its state, of ${formatStamp(state.stamp)}`;
  if (state.stamp > change.stamp) return undefined;
  const before = change.state && encodeState(change.state);
  const now = state.state && encodeState(state.state);
  return before === now ? undefined : `${subject} says ${before ?? 'deleted'}, its state ${now ?? 'deleted'}`;
}

/** The order of a key never falls. */
function fallenOrder({ stamp, order }: Change, state: Resource | Tombstone | undefined): string | undefined {
  if (state === undefined || order === undefined || order <= (state.order ?? -1)) return undefined;
  return `its change of ${formatStamp(stamp)} has the order ${order}, its state ${state.order ?? 'none'}`;
}

function count(counts: LogCounts, { kind, stamp, order = -1 }: Change, state: Resource | Tombstone | undefined): void {
  counts.changes += 1;
  if (state?.stamp === stamp) {
    counts.matched += 1;
    if ((state.order ?? -1) > order) counts.raised += 1;
  }
  if (kind === 'created') counts.live += 1;
  if (kind === 'deleted') counts.live -= 1;
  counts.lastStamp = Math.max(counts.lastStamp, stamp);
}
