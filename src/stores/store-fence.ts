import { isTidemarkError, TidemarkError } from '../core/errors.ts';

/** Milliseconds for which the writers of a store are refused at most, while it moves. */
export const PAUSE_MS = 10_000;

export type FenceState =
  | { readonly state: 'open' }
  | { readonly state: 'paused' }
  /** The store that it moved to, as `describeStore` names it. */
  | { readonly state: 'moved'; readonly to: string };

/** A pause of the writers of a store. */
export interface StorePause {
  readonly id: string;
  /** The number of its commit, on Elasticsearch. */
  readonly commit: number;
}

/**
 * Fences a store that moves to another one. test/contract/store-fence.ts tests these promises;
 * docs/internals/growing.md explains how they are kept.
 *
 * A write is a commit, a document of the catalog, or a job, by any process that has the store open.
 */
export interface StoreFence {
  state(): Promise<FenceState>;

  /**
   * Refuses all writes with `unavailable` for ten seconds, or until the pause is ended. Every write that was
   * acknowledged before is visible to readers when it resolves. Reads go on.
   * @param forMs at most `PAUSE_MS`
   * @throws TidemarkError `conflict` while there is another pause; `unavailable` when the store has moved
   */
  pause(forMs?: number): Promise<StorePause>;

  /** Ends a pause. Does nothing when it is over. */
  release(pause: StorePause): Promise<void>;

  /**
   * Ends the pause by the mark that the store has moved: every write is refused with `unavailable` from then on.
   * Returns false, and changes nothing, when the pause is over: a write may have been acknowledged meanwhile.
   * @param to the other store, as `describeStore` names it
   */
  move(pause: StorePause, to: string): Promise<boolean>;

  /** Removes the mark that the store has moved; writes are accepted again. Does nothing when there is none. */
  takeBack(): Promise<void>;
}

export function isPausedError(): TidemarkError {
  return new TidemarkError(
    'unavailable',
    'the store is being moved to another one, and takes no changes for some seconds: try again',
    { paused: true },
  );
}

export function hasMovedError(to: string): TidemarkError {
  const name = to.startsWith('sqlite:') ? 'TIDEMARK_STORE' : 'TIDEMARK_STORE and TIDEMARK_INDEX_PREFIX';
  return new TidemarkError('unavailable', `the store has moved to ${to}: set ${name} to that`, {
    movedTo: to,
    forOperators: to,
  });
}

/** Whether a write was refused because of a pause. */
export function isPaused(error: unknown): boolean {
  return isTidemarkError(error, 'unavailable') && error.details.paused === true;
}

/** Whether the store has moved. */
export function hasMoved(error: unknown): error is TidemarkError {
  return isTidemarkError(error, 'unavailable') && error.details.movedTo !== undefined;
}

/** @throws TidemarkError `unavailable` when the store has moved */
export async function requireNotMoved(fence: Pick<StoreFence, 'state'>): Promise<void> {
  const found = await fence.state();
  if (found.state === 'moved') throw hasMovedError(found.to);
}
