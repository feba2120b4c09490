import type { ResourceState } from '../../../core/resource.ts';
import type { KeptRecords } from '../../../records/again/kept-records.ts';

/**
 * Whether a state describes the same bytes as the one that is wanted; another place or another date is then not a
 * change, unless the place belongs to a removed upload. Two streams of an organization mostly have the same records,
 * each from an upload of its own.
 */
export async function isAsWanted(
  known: ResourceState | undefined,
  wanted: ResourceState | undefined,
  kept: Pick<KeptRecords, 'has'>,
): Promise<boolean> {
  if (known === undefined || wanted === undefined) return known === wanted;
  if (!hasSameContent(known, wanted)) return false;
  const artifact = known.record?.artifact;
  return artifact === undefined || artifact === wanted.record?.artifact || kept.has(artifact);
}

function hasSameContent(one: ResourceState, other: ResourceState): boolean {
  return one.length === other.length && one.mime === other.mime && hasSameHashes(one, other);
}

function hasSameHashes({ hashes: one = {} }: ResourceState, { hashes: other = {} }: ResourceState): boolean {
  return one['sha-256'] === other['sha-256'] && one['sha-1'] === other['sha-1'] && one.md5 === other.md5;
}
