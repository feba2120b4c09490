import type { SyncSummary } from '../../sources/sync-counter.ts';

/** What syncs of a set could not read, and no later one has read. */
export interface UnreadEntries extends Pick<SyncSummary, 'problems' | 'problemCount'> {
  /** When the last of them was tried, in milliseconds since 1970. */
  readonly at: number;
}

/** Number of problems of a set that are remembered, and can so be dropped one by one. */
const MOST_REMEMBERED = 1_000;

/**
 * What is unread after a sync; undefined when it is nothing.
 * @param under the paths that were synced, each with everything below it; undefined for a sync of everything
 */
export function unreadAfter(
  before: UnreadEntries | undefined,
  { problems, problemCount }: Pick<SyncSummary, 'problems' | 'problemCount'>,
  under: readonly string[] | undefined,
): UnreadEntries | undefined {
  const known = under === undefined ? undefined : before;
  const synced = new Set(under);
  const others = (known?.problems ?? []).filter(({ path }) => !isIn(path, synced));
  const othersCount = known === undefined ? 0 : known.problemCount - known.problems.length + others.length;
  if (problemCount + othersCount === 0) return undefined;
  return {
    problems: [...problems, ...others].slice(0, MOST_REMEMBERED),
    problemCount: problemCount + othersCount,
    at: problemCount === 0 && known !== undefined ? known.at : Date.now(),
  };
}

/** Whether a path, or a folder that it is in, is one of the paths. */
function isIn(path: string, paths: ReadonlySet<string>): boolean {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    if (paths.has(path.slice(0, end))) return true;
  }
  return false;
}
