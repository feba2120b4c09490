import type { Stamp } from './stamp.ts';

/** Versions of a set that were removed, or may be. */
export interface Prune {
  /** The boundary: what was not current at it, or later, is not kept. */
  readonly before: Stamp;
  /** The boundary at which that was decided. */
  readonly at: Stamp;
}

/** A part of a set's changes, between two boundaries, that gets no more. */
export interface ClosedRange {
  readonly from: Stamp;
  readonly until: Stamp;
}

interface Pruned {
  /** Ascending. */
  readonly versionsPruned?: readonly Prune[] | undefined;
}

/**
 * The last prune of a set.
 * @param closed the last one before this boundary, at which a document was closed that never changes again
 */
export function lastPrune({ versionsPruned = [] }: Pruned, closed = Number.POSITIVE_INFINITY): Prune | undefined {
  return versionsPruned.findLast(({ at }) => at < closed);
}

/** The boundary before which versions that had ended may have been removed; 0 when there is none. */
export function prunedBefore(set: Pruned): Stamp {
  return lastPrune(set)?.before ?? 0;
}

/**
 * With another prune. Earlier ones are kept only as far as a closed Change List depends on them: the last one before it
 * was closed, when that had removed versions of its changes.
 */
export function withPrune(
  { versionsPruned = [] }: Pruned,
  prune: Prune,
  closed: readonly ClosedRange[],
): readonly Prune[] {
  const needed = versionsPruned.filter(({ before, at }, number) => {
    const next = versionsPruned[number + 1] ?? prune;
    return closed.some(({ from, until }) => from < before && at < until && until <= next.at);
  });
  return [...needed, prune];
}
