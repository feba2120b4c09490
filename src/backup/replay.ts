import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import type { LogChange } from '../artifacts/avro/schemas.ts';
import type { ChangeEvent } from '../core/change.ts';
import { TidemarkError } from '../core/errors.ts';
import { decodeState } from '../core/resource.ts';
import { formatStamp } from '../core/stamp.ts';
import { failpoint } from '../lib/failpoint.ts';
import { prefetchItems } from '../lib/prefetch.ts';
import type { CommitResult } from '../stores/commit-result.ts';
import type { ResourceIndex } from '../stores/resource-index.ts';
import { ChangeDigest } from './change-rows.ts';
import { RecordDigest } from './documents.ts';
import { readFile } from './file-reader.ts';
import type { SegmentMark } from './segment.ts';

/** Changes of one commit. */
const PER_COMMIT = 10_000;
/** A key that no resource has: an event without a state about it tells nothing but its position. */
const NO_KEY = '';

export interface Replay {
  readonly artifacts: ArtifactStore;
  readonly index: ResourceIndex;
  readonly marks: readonly SegmentMark[];
  readonly signal?: AbortSignal | undefined;
  /** @param changes so many more are in the store, or were there */
  onProgress(changes: number): void;
}

/**
 * Records the changes of an archive as they were. What the store has already, since it was begun before, is not read again.
 * @throws TidemarkError `invalid` when a change does not become what it was: then the store is of no use
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
      requireAsBefore(changes, await index.commit(changes.map(toEvent)));
      failpoint('rebuild.committed');
      onProgress(changes.length);
    }
  }
}

/** Notes how far each source had come; events at or below that count as known, also when they are posted to the new store. */
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
        // An event of the past: however many sources there are, their positions are kept.
        time: mark.through,
      })),
    );
  }
}

async function* inCommits(artifacts: ArtifactStore, mark: SegmentMark): AsyncGenerator<readonly LogChange[]> {
  const options = { schema: 'log.Change.v1', digest: new ChangeDigest() } as const;
  let changes: LogChange[] = [];
  for await (const block of readFile(artifacts, mark.changes!, options)) {
    for (const change of block) {
      changes.push(change);
      if (changes.length < PER_COMMIT) continue;
      yield changes;
      changes = [];
    }
  }
  if (changes.length > 0) yield changes;
}

function toEvent({ set, key, stamp, window, weight, state }: LogChange): ChangeEvent {
  return { set, key, state: state === null ? undefined : decodeState(state), weight, time: stamp, window };
}

/** Those that are known were recorded before the last stop, or by another process that makes the same store; the comparison at the end has all. */
function requireAsBefore(changes: readonly LogChange[], results: readonly CommitResult[]): void {
  for (const [at, { kind, stamp, key }] of changes.entries()) {
    const result = results[at]!;
    if (result.status === 'applied' && result.stamp === stamp && result.kind === kind) continue;
    if (result.status === 'unchanged' && result.reason === 'repeated') continue;
    throw new TidemarkError(
      'invalid',
      `the change of ${key} at ${formatStamp(stamp)} (${kind}) did not become what it was, but ${JSON.stringify(result)}: the store is of no use, make it anew`,
    );
  }
}
