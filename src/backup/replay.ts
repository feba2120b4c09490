import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import type { LogChange, LogOrder, RecordOf } from '../artifacts/avro/avro-schemas.ts';
import type { ChangeEvent, ReplayedChange } from '../core/change.ts';
import { TidemarkError } from '../core/errors.ts';
import { decodeState } from '../core/resource.ts';
import type { SetId } from '../core/resource-set.ts';
import { formatStamp } from '../core/stamp.ts';
import { prefetchItems } from '../lib/calls/prefetch.ts';
import { failpoint } from '../lib/failpoint.ts';
import type { ChangeLog } from '../stores/change-log.ts';
import type { CommitResult } from '../stores/commit-result.ts';
import type { LogMaintenance } from '../stores/log-maintenance.ts';
import type { ResourceStates } from '../stores/resource-states.ts';
import { RecordDigest } from './catalog-documents.ts';
import { ChangeDigest } from './change-rows.ts';
import { readFile } from './file-reader.ts';
import type { SegmentMark } from './segment.ts';

/** Number of changes in one commit. */
const PER_COMMIT = 10_000;
/** A key that no resource has: an event for it without a state only has a position. */
const NO_KEY = '';

interface Replay {
  readonly artifacts: ArtifactStore;
  readonly index: ChangeLog & ResourceStates & LogMaintenance;
  readonly marks: readonly SegmentMark[];
  readonly signal?: AbortSignal | undefined;
  /** @param changes number of changes that are now in the store, since the last call */
  onProgress(changes: number): void;
}

/**
 * Records the changes of an archive unchanged. Changes that an earlier attempt recorded are not read again.
 * @throws TidemarkError `invalid` when a change differs after recording: then the store cannot be used
 */
export async function replayChanges({ artifacts, index, marks, signal, onProgress }: Replay): Promise<void> {
  const reached = (await index.watermark()) - 1;
  for (const mark of marks) {
    if (mark.changes === undefined) continue;
    if (mark.through <= reached) {
      onProgress(mark.changes.records);
      continue;
    }
    for await (const changes of prefetchItems(inCommits(artifacts, mark))) {
      signal?.throwIfAborted();
      requireAsBefore(changes, await index.replay(changes.map(toEvent)));
      failpoint('rebuild.committed');
      onProgress(changes.length);
    }
  }
}

/** Records the position of each source; events at or below it count as known when they are posted to the new store. */
export async function replayPositions(
  { artifacts, index }: Pick<Replay, 'artifacts' | 'index'>,
  mark: SegmentMark,
): Promise<void> {
  const options = { schema: 'log.Position.v1', digest: new RecordDigest() } as const;
  for await (const positions of readFile(artifacts, mark.positions, options)) {
    await index.commit(
      positions.map(({ set, source, position }) => ({
        set,
        key: NO_KEY,
        state: undefined,
        weight: 0,
        source,
        position,
        // The time of the archive: positions are kept however many sources there are.
        time: mark.through,
      })),
    );
  }
}

/**
 * Raises orders that rose without a change. Call this when all changes are replayed: later changes contain their
 * orders.
 * @throws TidemarkError `invalid` when a state is not the one whose order rose
 */
export async function replayOrders({ artifacts, index, marks, signal }: Omit<Replay, 'onProgress'>): Promise<void> {
  for (const { orders } of marks) {
    if (orders === undefined) continue;
    for await (const block of readFile(artifacts, orders, { schema: 'log.Order.v1', digest: new RecordDigest() })) {
      signal?.throwIfAborted();
      for (const [set, rows] of Map.groupBy(block, (row) => row.set)) await raiseOrders(index, set, rows);
    }
  }
}

async function raiseOrders(index: ChangeLog & ResourceStates, set: SetId, rows: readonly LogOrder[]): Promise<void> {
  const states = await index.lookup(
    set,
    rows.map(({ key }) => key),
  );
  const events: ChangeEvent[] = [];
  for (const [at, { key, order, stamp }] of rows.entries()) {
    const current = states[at];
    // The key has changed since then.
    if (current !== undefined && current.stamp > stamp) continue;
    events.push({ set, key, state: current?.state, weight: 0, order, time: stamp });
  }
  const results = await index.commit(events);
  if (results.every(({ status }) => status === 'unchanged')) return;
  throw new TidemarkError(
    'invalid',
    'an order of the archive became a change: the rebuilt store is wrong: delete it, and rebuild it again',
  );
}

async function* inCommits(artifacts: ArtifactStore, mark: SegmentMark): AsyncGenerator<readonly LogChange[]> {
  let changes: LogChange[] = [];
  for await (const block of readChanges(artifacts, mark)) {
    for (const change of block) {
      changes.push(change);
      if (changes.length < PER_COMMIT) continue;
      yield changes;
      changes = [];
    }
  }
  if (changes.length > 0) yield changes;
}

async function* readChanges(artifacts: ArtifactStore, mark: SegmentMark): AsyncGenerator<readonly LogChange[]> {
  if (mark.format > 1) {
    yield* readFile(artifacts, mark.changes!, { schema: 'log.Change.v2', digest: new ChangeDigest() });
    return;
  }
  const digest = new ChangeDigest();
  const withOrders = {
    add: (changes: readonly RecordOf['log.Change.v1'][]) => digest.add(changes.map(withoutOrder)),
    get value() {
      return digest.value;
    },
  };
  const options = { schema: 'log.Change.v1', digest: withOrders } as const;
  for await (const changes of readFile(artifacts, mark.changes!, options)) yield changes.map(withoutOrder);
}

function withoutOrder(change: RecordOf['log.Change.v1']): LogChange {
  return { ...change, order: null };
}

function toEvent({ set, key, stamp, window, weight, state, order }: LogChange): ReplayedChange {
  const decoded = state === null ? undefined : decodeState(state);
  return { set, key, state: decoded, weight, time: stamp, window, ...(order !== null && { order }) };
}

/**
 * Checks results that are not new: these changes were recorded before the last stop, or by another process that makes
 * the same store. The comparison at the end covers all changes.
 */
function requireAsBefore(changes: readonly LogChange[], results: readonly CommitResult[]): void {
  for (const [at, { kind, stamp, key }] of changes.entries()) {
    const result = results[at]!;
    if (result.status === 'applied' && result.stamp === stamp && result.kind === kind) continue;
    if (result.status === 'unchanged' && result.reason === 'repeated') continue;
    throw new TidemarkError(
      'invalid',
      `the change of ${key} at ${formatStamp(stamp)} (${kind}) did not become what it was, but ${JSON.stringify(result)}: the rebuilt store is wrong: delete it, and rebuild it again`,
    );
  }
}
