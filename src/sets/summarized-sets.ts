import type { ResourceSet } from '../core/resource-set.ts';
import type { SetStatistics, SetSummary } from '../stores/set-statistics.ts';

export interface SummarizedSet {
  readonly set: ResourceSet;
  readonly summary: SetSummary;
}

/** Sets with their summaries from the index, for any number of sets. A set that is removed meanwhile is left out. */
export async function summarize(
  index: Pick<SetStatistics, 'summaries'>,
  sets: readonly ResourceSet[],
): Promise<readonly SummarizedSet[]> {
  const summaries = await index.summaries(sets.map(({ id }) => id));
  return sets.flatMap((set, at) => {
    const summary = summaries[at];
    return summary === undefined ? [] : [{ set, summary }];
  });
}
