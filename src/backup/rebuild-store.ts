import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import { TidemarkError } from '../core/errors.ts';
import { clockStamp, formatStamp, type Stamp } from '../core/stamp.ts';
import type { StoredSet } from '../core/stored-set.ts';
import { failpoint } from '../lib/failpoint.ts';
import { SetRegistry } from '../sets/set-registry.ts';
import type { Stores } from '../stores/open-stores.ts';
import type { ArchiveChain } from './archive-chain.ts';
import { beginRebuild, endRebuild, isStepDone, recordStep, requireUnderWay } from './rebuild-state.ts';
import { replayChanges, replayOrders, replayPositions } from './replay.ts';
import { openSets, putDocuments, readArchivedDocuments, setsOf } from './restore-documents.ts';
import type { SegmentMark } from './segment.ts';
import { nameChain } from './store-chain.ts';
import { verifyRebuilt } from './verify-rebuilt.ts';

export interface RebuildInput {
  readonly stores: Pick<Stores, 'index' | 'catalog'>;
  /** The name of the store in messages. */
  readonly name: string;
  readonly artifacts: ArtifactStore;
  readonly chain: ArchiveChain;
  /** Starts a new epoch of every set. */
  readonly renew?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  onProgress?(progress: RebuildProgress): void;
}

export interface RebuildProgress {
  readonly step: 'replaying' | 'comparing';
  /** Number of changes. */
  readonly done: number;
  readonly total: number;
}

export interface Rebuilt {
  readonly archive: string;
  readonly segments: number;
  readonly changes: number;
  /** The stamp of the last change; undefined when there is none. */
  readonly lastChange: Stamp | undefined;
  /** The sets that are not removed, with their current epochs. */
  readonly sets: readonly { readonly set: string; readonly epoch: number }[];
  readonly renewed: boolean;
}

/**
 * Rebuilds a store from an archive: its log, with the same stamps and windows, the resulting states, and its catalog.
 * Until it is complete, the store cannot be used; after a stop or a crash, calling this again continues.
 * @throws TidemarkError `conflict` when the store is not empty, `invalid` when the archive is damaged; as both stores
 *   do
 */
export async function rebuild(input: RebuildInput): Promise<Rebuilt> {
  const { stores, name, artifacts, chain, signal } = input;
  const { index, catalog } = stores;
  const marks = await chain.all();
  const newest = marks.at(-1)!;
  requirePast(newest);
  const documents = await readArchivedDocuments(artifacts, newest);
  const sets = setsOf(documents);

  await beginRebuild(stores, { chain: chain.id, name });
  failpoint('rebuild.begun');
  const progress = progressOf(input, newest.total);
  if (!(await isStepDone(catalog, 'replayed'))) {
    await replayAll(input, { marks, sets, onProgress: progress('replaying') });
    await recordStep(catalog, 'replayed');
  }
  if (!(await isStepDone(catalog, 'compared'))) {
    await putDocuments(catalog, documents);
    failpoint('rebuild.replayed');
    await verifyRebuilt({ index, marks, sets, signal, onProgress: progress('comparing') });
    await recordStep(catalog, 'compared');
  }
  await nameChain(catalog, chain.id);
  // No boundary returned so far is above the next change.
  await index.mark();
  const registry = new SetRegistry(catalog, index);
  const liveSets = await registry.list();
  if (input.renew) {
    await requireUnderWay(catalog);
    for (const { slug } of liveSets) await registry.renew(slug);
  }
  failpoint('rebuild.compared');
  await endRebuild(catalog);
  return {
    archive: chain.id,
    segments: marks.length,
    changes: newest.total,
    lastChange: newest.last?.stamp,
    sets: (await registry.list()).map(({ slug, epoch }) => ({ set: slug, epoch })),
    renewed: input.renew === true,
  };
}

interface Replayed {
  readonly marks: readonly SegmentMark[];
  readonly sets: readonly StoredSet[];
  onProgress(changes: number): void;
}

async function replayAll(
  { stores: { index, catalog }, artifacts, signal }: RebuildInput,
  { marks, sets, onProgress }: Replayed,
): Promise<void> {
  try {
    await openSets(catalog, sets);
    await replayChanges({ artifacts, index, marks, signal, onProgress });
    await replayOrders({ artifacts, index, marks, signal });
    await replayPositions({ artifacts, index }, marks.at(-1)!);
  } catch (error) {
    signal?.throwIfAborted();
    // Another process has replayed all meanwhile, and marked sets as removed: they reject changes since then.
    if (!(await isStepDone(catalog, 'replayed'))) throw error;
  }
}

/** A stamp in the future would become another one, and a boundary would not be below the next change. */
export function requirePast({ through }: SegmentMark): void {
  if (through - 1 <= clockStamp()) return;
  throw new TidemarkError(
    'unavailable',
    `the archive goes up to ${formatStamp(through)}, which has not come yet by this machine's clock: set the clock right, or wait until then`,
  );
}

function progressOf({ onProgress }: RebuildInput, total: number) {
  return (step: RebuildProgress['step']) => {
    let done = 0;
    return (more: number) => {
      done += more;
      onProgress?.({ step, done, total });
    };
  };
}
