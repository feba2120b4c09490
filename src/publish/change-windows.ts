import type { Stamp } from '../core/stamp.ts';
import type { SetStatistics, Window } from '../stores/set-statistics.ts';
import type { PublishedSet } from './published-set.ts';

export interface History {
  /** The stamp of the last change; the start of the epoch when there is none. */
  readonly newest: Stamp;
  readonly windows: readonly Window[];
}

/** The windows up to the last change; the next request includes changes committed after that. */
export async function readHistory(index: SetStatistics, { set }: PublishedSet): Promise<History> {
  const { lastChange } = await index.summary(set.id);
  const newest = Math.max(lastChange, set.epochStart - 1);
  const windows = await index.windows(set.id, set.epochStart);
  return { newest, windows: windows.filter(({ from }) => from < newest) };
}

/** The first window of an epoch begins at its start; every other one begins where the previous one ends. */
export function fromOf({ set }: PublishedSet, windows: readonly Window[], at: number): Stamp {
  return at === 0 ? set.epochStart : windows[at]!.from;
}
