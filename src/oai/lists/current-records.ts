import type { Change } from '../../core/change.ts';
import type { SetId } from '../../core/resource-set.ts';
import { boundaryAfter, type Stamp } from '../../core/stamp.ts';
import type { ChangeLog, LimitedStampRange } from '../../stores/change-log.ts';
import type { ResourceStates } from '../../stores/resource-states.ts';
import type { ListedRecord } from '../profiles/profile.ts';

interface CurrentRecords {
  /** Ascending by stamp. */
  readonly records: readonly ListedRecord[];
  /** The boundary above the last change that was read. */
  readonly through: Stamp;
  /** Whether there were no more changes when they were read, nor when the last ones of their records were looked up. */
  readonly isEnd: boolean;
}

/**
 * Reads the next changes of a set, and leaves out those whose record has changed again: that change comes later in the
 * log. So a reader who goes on above `through` until the end misses no record, whatever changes meanwhile:
 *
 * - all changes up to the watermark are visible, and later ones get stamps above it;
 * - the last changes of their keys are looked up after the changes were read, so a record that is left out has a change
 *   above all that were read, or among them. In the first case, the log has not ended.
 */
export async function readCurrentRecords(
  index: Pick<ChangeLog, 'changes'> & Pick<ResourceStates, 'lastChanges'>,
  set: SetId,
  range: LimitedStampRange & { readonly limit: number },
): Promise<CurrentRecords> {
  const changes: Change[] = [];
  for await (const batch of index.changes(set, range)) changes.push(...batch);
  const keys = changes.map(({ key }) => key);
  const stamps = keys.length === 0 ? [] : await index.lastChanges(set, keys);
  const records = changes.flatMap(({ key, stamp, state }, at) => {
    return stamps[at] === stamp ? [{ key, stamp, state }] : [];
  });
  const last = changes.at(-1);
  const through = last === undefined ? range.after : boundaryAfter(last.stamp);
  return { records, through, isEnd: changes.length < range.limit && stamps.every((stamp) => stamp < through) };
}
