import type { ResourceKey } from '../domain/key.ts';
import type { LogInput } from './verify-log.ts';

export interface StateCounts {
  resources: number;
  tombstones: number;
  /** States and tombstones whose change lies in the part of the log that was verified. */
  matchable: number;
}

/** Counts the states, and holds them against their order. */
export async function verifyStates({ set, index, until, differences, onProgress }: LogInput): Promise<StateCounts> {
  const counts: StateCounts = { resources: 0, tombstones: 0, matchable: 0 };
  let last: ResourceKey = '';
  for await (const batch of index.read(set, { tombstones: true })) {
    for (const { key, state, stamp } of batch) {
      if (key <= last) differences.add({ kind: 'order', key, message: `the state has it after ${last}` });
      last = key;
      if (state === undefined) counts.tombstones += 1;
      else counts.resources += 1;
      if (stamp < until) counts.matchable += 1;
    }
    onProgress(counts.resources + counts.tombstones);
  }
  return counts;
}
