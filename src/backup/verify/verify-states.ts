import { type ResourceKey, rightKey } from '../../core/key.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { LogInput } from './verify-log.ts';

interface StateCounts {
  resources: number;
  tombstones: number;
  /** Number of states and tombstones whose change is in the verified part of the log. */
  matchable: number;
}

type StatesInput = Omit<LogInput, 'set'> & { readonly set: ResourceSet };

/** Counts the states, and checks their order and that each has the key of its URI. */
export async function verifyStates({ set, index, until, differences, onProgress }: StatesInput): Promise<StateCounts> {
  const counts: StateCounts = { resources: 0, tombstones: 0, matchable: 0 };
  let last: ResourceKey = '';
  for await (const batch of index.read(set.id, { tombstones: true })) {
    for (const { key, state, stamp } of batch) {
      if (key <= last) differences.add({ kind: 'order', key, message: `the state has it after ${last}` });
      last = key;
      if (state === undefined) counts.tombstones += 1;
      else {
        counts.resources += 1;
        const right = rightKey(set.urlPrefix, key);
        if (right !== key) differences.add({ kind: 'name', key, message: wrongName(set, right) });
      }
      if (stamp < until) counts.matchable += 1;
    }
    onProgress(counts.resources + counts.tombstones);
  }
  return counts;
}

function wrongName({ slug }: ResourceSet, right: ResourceKey): string {
  return `is a URI below the URL prefix of the set, and should have the key ${right}: "tidemark sets renew ${slug} --confirm" gives it that`;
}
