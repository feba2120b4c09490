import type { Stamp } from './stamp.ts';

/** A removal of versions of a set, done or pending. */
export interface Prune {
  /** The boundary: versions that ended before it are not kept. */
  readonly before: Stamp;
  /** The boundary at which this was decided. */
  readonly at: Stamp;
}

/** A range of a set's changes, between two boundaries, that gets no more changes. */
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
 * @param closed if given, the last prune before this boundary, at which an immutable document was closed
 */
export function lastPrune({ versionsPruned = [] }: Pruned, closed = Number.POSITIVE_INFINITY): Prune | undefined {
  return versionsPruned.findLast(({ at }) => at < closed);
}

/** The boundary before which ended versions may have been removed; 0 if there is none. */
export function prunedBefore(set: Pruned): Stamp {
  return lastPrune(set)?.before ?? 0;
}

/**
 * Adds a prune. Earlier prunes are kept only if a closed Change List depends on them: the last one before the list was
 * closed, if it had removed versions of the list's changes.
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
