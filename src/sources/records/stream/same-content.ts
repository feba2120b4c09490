import type { ResourceState } from '../../../core/resource.ts';

/**
 * Whether two states describe the same bytes; another place or another date is then not a change. Two streams of an
 * organization mostly have the same records, each from an upload of its own.
 */
export function hasSameContent(one: ResourceState, other: ResourceState): boolean {
  return one.length === other.length && one.mime === other.mime && hasSameHashes(one, other);
}

function hasSameHashes({ hashes: one = {} }: ResourceState, { hashes: other = {} }: ResourceState): boolean {
  return one['sha-256'] === other['sha-256'] && one['sha-1'] === other['sha-1'] && one.md5 === other.md5;
}
