import type { ResourceState } from '../../../core/resource.ts';
import type { SetId } from '../../../core/resource-set.ts';
import type { KeptRecords } from '../../../records/again/kept-records.ts';
import type { CompareOptions, Difference, Mismatch } from '../../source.ts';
import { SyncCounter } from '../../sync-counter.ts';
import { type CheckedRecords, checkRecords } from './check-records.ts';
import { compareSets } from './compare-sets.ts';

interface VerifiedFollowing extends CheckedRecords {
  readonly kept: Pick<KeptRecords, 'has'>;
  /** The set of the default stream; undefined when the organization has none. */
  readonly followed: SetId | undefined;
}

/** Compares the set with that of the default stream, and reads each of its records. @throws as `checkRecords` */
export async function* verifyFollowed(
  { followed, ...checked }: VerifiedFollowing,
  options: Pick<CompareOptions, 'counter' | 'signal'>,
): AsyncGenerator<readonly Mismatch[]> {
  if (followed !== undefined) {
    // This counter is discarded: records are counted when they are read.
    const parts = { ...checked, ...options, counter: new SyncCounter(), followed, since: Number.POSITIVE_INFINITY };
    for await (const { differences } of compareSets(parts)) yield differences.map(describe);
  }
  yield* checkRecords(checked, options);
}

function describe({ key, state, known }: Difference): Mismatch {
  if (state === undefined) return { kind: 'missing', key, message: 'is published, and is not in the default stream' };
  if (known === undefined) return { kind: 'extra', key, message: 'is in the default stream, and is not published' };
  return { kind: 'differing', key, message: `differs in ${wrongFields(state, known).join(', ')}` };
}

function wrongFields(one: ResourceState, other: ResourceState): readonly string[] {
  const fields = ['length', 'mime'] as const;
  const wrong: string[] = fields.filter((field) => one[field] !== other[field]);
  if (one.hashes?.['sha-256'] !== other.hashes?.['sha-256']) wrong.push('sha-256');
  return wrong;
}
