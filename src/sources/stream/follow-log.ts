import type { Change } from '../../core/change.ts';
import type { ResourceKey } from '../../core/key.ts';
import type { SetId } from '../../core/resource-set.ts';
import { boundaryAfter, type Stamp } from '../../core/stamp.ts';
import type { ChangeLog } from '../../stores/change-log.ts';
import type { ResourceStates } from '../../stores/resource-states.ts';
import type { Difference, SyncStep } from '../source.ts';
import type { SyncCounter } from '../sync-counter.ts';
import { hasSameContent } from './same-content.ts';

/** Changes of the log that are followed at a time, and are in memory: some 20 MB. */
const PART = 20_000;
/** Differences of a step. */
const DIFFERENCES = 1_000;

/** The end of the next part of a set's log above a boundary; undefined when there is no change. */
export async function nextPart(
  index: Pick<ChangeLog, 'changes' | 'watermark'>,
  set: SetId,
  after: Stamp,
): Promise<Stamp | undefined> {
  let changes = 0;
  let last: Stamp | undefined;
  for await (const batch of index.changes(set, { after, until: await index.watermark() })) {
    changes += batch.length;
    last = batch.at(-1)?.stamp ?? last;
    if (changes >= PART) break;
  }
  return last === undefined ? undefined : boundaryAfter(last);
}

export interface FollowedPart {
  readonly index: Pick<ChangeLog, 'changes'> & Pick<ResourceStates, 'lookup'>;
  readonly set: SetId;
  /** The set of the stream. */
  readonly followed: SetId;
  readonly after: Stamp;
  readonly until: Stamp;
  readonly counter: SyncCounter;
  readonly signal?: AbortSignal | undefined;
}

/**
 * What a part of the stream's log changes in the set: of each key, its last state there. That depends on nothing but
 * the log, so any number of processes that follow the same part post the same.
 */
export async function* followPart(part: FollowedPart): AsyncGenerator<SyncStep> {
  const { index, followed, after, until, signal } = part;
  const last = new Map<ResourceKey, Change>();
  for await (const changes of index.changes(followed, { after, until })) {
    signal?.throwIfAborted();
    for (const change of changes) last.set(change.key, change);
  }
  const changes = [...last.values()];
  for (let at = 0; at < changes.length; at += DIFFERENCES) {
    yield { differences: await differencesOf(changes.slice(at, at + DIFFERENCES), part) };
  }
}

async function differencesOf(
  changes: readonly Change[],
  { index, set, counter }: FollowedPart,
): Promise<readonly Difference[]> {
  const found = await index.lookup(
    set,
    changes.map(({ key }) => key),
  );
  return changes.flatMap(({ key, state }, at) => {
    counter.file();
    const known = found[at]?.state;
    const isSame = known === undefined || state === undefined ? known === state : hasSameContent(known, state);
    if (!isSame) return [{ key, state, known }];
    if (state !== undefined) counter.unchanged();
    return [];
  });
}
