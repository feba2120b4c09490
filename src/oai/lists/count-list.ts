import type { ResourceKey } from '../../core/key.ts';
import { recordIdOfKey } from '../../core/record-key.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { ChangeLog } from '../../stores/change-log.ts';
import type { SetStatistics } from '../../stores/set-statistics.ts';

/** Number of changes that are counted one by one: takes a tenth of a second. */
const MOST_COUNTED = 20_000;

/**
 * The number of records and deletions of a list without an end, where it can be counted quickly: undefined otherwise.
 * Changes while it is read only add to it, so that no client takes a complete list for one that is cut short.
 * @param after the boundary at which the list begins
 */
export async function countList(
  index: Pick<ChangeLog, 'changes'> & Pick<SetStatistics, 'summary'>,
  set: SetId,
  after: Stamp,
): Promise<number | undefined> {
  if (after === 0) {
    const { resources, changes } = await index.summary(set);
    // Each change has created a resource that still exists.
    if (resources === changes) return resources;
    if (changes > MOST_COUNTED) return undefined;
  }
  const keys = new Set<ResourceKey>();
  let counted = 0;
  for await (const batch of index.changes(set, { after, limit: MOST_COUNTED + 1 })) {
    counted += batch.length;
    for (const { key } of batch) keys.add(key);
  }
  if (counted > MOST_COUNTED) return undefined;
  // A deletion without a known id is left out, and no list may have fewer records than it says.
  return keys.values().some((key) => recordIdOfKey(key) === undefined) ? undefined : keys.size;
}
