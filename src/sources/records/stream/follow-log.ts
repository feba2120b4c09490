import type { Change } from '../../../core/change.ts';
import type { ResourceKey } from '../../../core/key.ts';
import type { SetId } from '../../../core/resource-set.ts';
import { boundaryAfter, type Stamp } from '../../../core/stamp.ts';
import type { KeptRecords } from '../../../records/again/kept-records.ts';
import type { ChangeLog, StampRange } from '../../../stores/change-log.ts';
import type { ResourceStates } from '../../../stores/resource-states.ts';
import type { Difference, SyncStep } from '../../source.ts';
import type { SyncCounter } from '../../sync-counter.ts';
import { isAsWanted } from './same-content.ts';

/** Number of changes of the log that are read at a time: about 5 MB in memory. */
const PART = 5_000;
/** Most differences of one step. */
const DIFFERENCES = 1_000;

/** A part of a set's log: the last change of each key. */
export interface LogPart {
  readonly until: Stamp;
  readonly changes: readonly Change[];
}

/**
 * Reads a part of a set's log above a boundary: up to another boundary, or up to `PART` changes. Undefined when there
 * is not a change.
 */
export async function readPart(
  index: Pick<ChangeLog, 'changes' | 'watermark'>,
  set: SetId,
  { after, until }: StampRange,
): Promise<LogPart | undefined> {
  const last = new Map<ResourceKey, Change>();
  let read = 0;
  let end: Stamp | undefined;
  for await (const changes of index.changes(set, { after, until: until ?? (await index.watermark()) })) {
    for (const change of changes) last.set(change.key, change);
    read += changes.length;
    end = changes.at(-1)?.stamp ?? end;
    if (until === undefined && read >= PART) break;
  }
  if (until !== undefined) return { until, changes: [...last.values()] };
  return end === undefined ? undefined : { until: boundaryAfter(end), changes: [...last.values()] };
}

interface FollowedPart {
  readonly index: Pick<ResourceStates, 'lookup'>;
  readonly kept: Pick<KeptRecords, 'has'>;
  readonly set: SetId;
  /** Part of the log of the stream's set. */
  readonly part: LogPart;
  readonly counter: SyncCounter;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Yields the changes of the set that follow from a part of the stream's log. They depend only on the log, so any number
 * of processes that follow the same part post the same.
 */
export async function* followPart(followed: FollowedPart): AsyncGenerator<SyncStep> {
  const { changes } = followed.part;
  for (let at = 0; at < changes.length; at += DIFFERENCES) {
    followed.signal?.throwIfAborted();
    yield { differences: await differencesOf(changes.slice(at, at + DIFFERENCES), followed) };
  }
}

async function differencesOf(
  changes: readonly Change[],
  { index, kept, set, counter }: FollowedPart,
): Promise<readonly Difference[]> {
  const found = await index.lookup(
    set,
    changes.map(({ key }) => key),
  );
  const differences: Difference[] = [];
  for (const [at, { key, state }] of changes.entries()) {
    counter.file();
    const known = found[at]?.state;
    if (!(await isAsWanted(known, state, kept))) differences.push({ key, state, known });
    else if (state !== undefined) counter.unchanged();
  }
  return differences;
}
