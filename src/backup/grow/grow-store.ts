import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { isTidemarkError, TidemarkError, unlessConflict } from '../../core/errors.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { Stores } from '../../stores/open-stores.ts';
import { hasMovedError, PAUSE_MS } from '../../stores/store-fence.ts';
import { beginRebuild, endRebuild, requireUnderWay } from '../rebuild-state.ts';
import { chainOfStore } from '../store-chain.ts';
import { type CopyProgress, type CopyRound, CopyRounds } from './copy-rounds.ts';

/**
 * Milliseconds. A round that takes less than `least` is the last one before the pause, and one that takes less than
 * `most` if it is not shorter than half of the one before: then posting goes on as fast.
 */
const SHORT_ROUND_MS = { least: 2_000, most: 5_000 };
const MOST_ROUNDS = 10;

export interface NamedStores {
  readonly stores: Stores;
  /** As `describeStore` names it. */
  readonly name: string;
}

interface GrowInput {
  readonly from: NamedStores;
  /** An empty store, or one that was begun by an earlier call. */
  readonly to: NamedStores;
  readonly artifacts: ArtifactStore;
  readonly signal: AbortSignal;
  onProgress?(progress: GrowProgress): void;
}

export type GrowProgress = CopyProgress | { readonly step: 'pausing' };

export interface Grown {
  /** The archive of the history. */
  readonly archive: string;
  /** What this call has copied. */
  readonly changes: number;
  readonly documents: number;
  readonly jobs: number;
  /** Milliseconds for which writers were refused. */
  readonly pauseMs: number;
}

/**
 * Moves a store to another one, while it is used: docs/internals/growing.md. Call it again after any failure.
 * @throws TidemarkError `unavailable` when the pause has run out: the old store goes on; `conflict` when the new store
 *   has other content; `unavailable`, too, when the old store has moved to a third one; as both stores do
 */
export async function growStore(input: GrowInput): Promise<Grown> {
  const { from, to } = input;
  const archive = (await chainOfStore({ catalog: from.stores.catalog, artifacts: input.artifacts })).id;
  const fence = await from.stores.fence.state();
  if (fence.state === 'moved') {
    if (fence.to !== to.name) throw hasMovedError(fence.to);
    if ((await unlessConflict(requireUnderWay(to.stores.catalog))) === undefined) {
      throw new TidemarkError('conflict', `the store has moved to ${to.name} already: nothing is left to do`);
    }
    await completeStore(to);
    return { archive, changes: 0, documents: 0, jobs: 0, pauseMs: 0 };
  }
  await beginRebuild(to.stores, { chain: archive, name: `the store ${to.name}`, grows: true });
  failpoint('grow.begun');
  const { artifacts, onProgress } = input;
  const copying = { from: from.stores, to: to.stores, artifacts, chain: archive, ...(onProgress && { onProgress }) };
  const rounds = new CopyRounds(copying);
  const before = await copyMost(rounds, input.signal);
  onProgress?.({ step: 'pausing' });
  const { pauseMs, ...last } = await copyRest(rounds, input);
  await completeStore(to);
  return { archive, ...added(before, last), pauseMs };
}

/** Copies while the old store serves, until little is left. */
async function copyMost(rounds: CopyRounds, signal: AbortSignal): Promise<CopyRound> {
  let all: CopyRound = { changes: 0, documents: 0, jobs: 0 };
  let before = Number.POSITIVE_INFINITY;
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    const began = performance.now();
    all = added(all, await rounds.run(false, signal));
    const ms = performance.now() - began;
    if (ms < SHORT_ROUND_MS.least || (ms < SHORT_ROUND_MS.most && ms > before / 2)) break;
    before = ms;
  }
  return all;
}

/** Pauses the old store, copies the rest, and marks the old store as moved. */
async function copyRest(
  rounds: CopyRounds,
  { from, to, signal }: GrowInput,
): Promise<CopyRound & { readonly pauseMs: number }> {
  const { fence } = from.stores;
  const pause = await fence.pause();
  const began = performance.now();
  const timeout = AbortSignal.timeout(PAUSE_MS);
  try {
    const round = await rounds.run(true, AbortSignal.any([signal, timeout]));
    failpoint('grow.copied');
    if (!(await fence.move(pause, to.name))) throw hasRunOut();
    failpoint('grow.moved');
    return { ...round, pauseMs: Math.round(performance.now() - began) };
  } catch (error) {
    // It ends by itself when this fails.
    await fence.release(pause).catch(() => {});
    throw timeout.aborted && !isTidemarkError(error) ? hasRunOut() : error;
  }
}

/** Lets the new store be opened. */
async function completeStore({ stores: { index, catalog } }: NamedStores): Promise<void> {
  // No boundary that the old store has returned is above the next change.
  await index.mark();
  failpoint('grow.marked');
  await endRebuild(catalog);
}

function hasRunOut(): TidemarkError {
  return new TidemarkError(
    'unavailable',
    `the last changes could not be copied within ${PAUSE_MS / 1_000} seconds: the old store goes on as before, and what was copied is kept. Call "tidemark grow" again when fewer changes arrive`,
  );
}

function added(one: CopyRound, other: CopyRound): CopyRound {
  return {
    changes: one.changes + other.changes,
    documents: one.documents + other.documents,
    jobs: one.jobs + other.jobs,
  };
}
