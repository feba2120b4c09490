import type { ResourceKey } from './key.ts';
import type { Link, ResourceState } from './resource.ts';

// An entry with every attribute, three hashes and no link: markup 180, dates 60, numbers 20, digests and their names
// 160.
const MARKUP = 420;
const LINK_MARKUP = 40;
// Three links to versions: markup 240, two dates, and the address of the set in each, which a set whose resources are
// elsewhere does not know.
const VERSION_LINKS = 300;
const LEAST_HOME = 100;
/** How many times heavier links to versions make an entry at most. */
export const VERSION_LINKS_GROWTH = 4;
// ` pri="999999" modified="2026-01-31T12:00:00Z" length="9007199254740991"`, and hashes as those of an entry.
const LINK_NUMBERS = 80;
const LINK_HASHES = 170;

/**
 * An upper bound of the bytes that a resource takes in a Resource List or Change List, so that pages and windows can be
 * cut before 50 MB without rendering them. Texts are ASCII or checked to hold no markup but `&`.
 */
export function entryWeight(urlPrefix: string, key: ResourceKey, state: ResourceState | undefined): number {
  const prefix = escaped(urlPrefix);
  let weight = MARKUP + escapedUri(prefix, key) + escaped(state?.mime ?? '');
  for (const link of state?.links ?? []) {
    weight += LINK_MARKUP + escaped(link.rel) + escapedUri(prefix, link.href) + attributesWeight(link);
  }
  return weight;
}

function attributesWeight({ mime = '', pri, modified, length, hashes }: Link): number {
  const hasNumbers = pri !== undefined || modified !== undefined || length !== undefined;
  return escaped(mime) + (hasNumbers ? LINK_NUMBERS : 0) + (hashes === undefined ? 0 : LINK_HASHES);
}

/** What the entry of a resource weighs in a set: with links to its versions, where the set keeps those. */
export function weightInSet(
  { urlPrefix, keepVersions }: { readonly urlPrefix: string; readonly keepVersions?: boolean | undefined },
  key: ResourceKey,
  state: ResourceState | undefined,
): number {
  const links = keepVersions && state !== undefined ? versionLinksWeight(urlPrefix, key) : 0;
  return entryWeight(urlPrefix, key, state) + links;
}

/** What links to its versions add to the entry of a resource. */
function versionLinksWeight(urlPrefix: string, key: ResourceKey): number {
  return VERSION_LINKS + 3 * (Math.max(escaped(urlPrefix), LEAST_HOME) + escaped(key));
}

/** What a prefix takes of an entry. */
export function prefixWeight(urlPrefix: string): number {
  return escaped(urlPrefix);
}

/** How many times heavier than its weight an entry may be when its prefix has become longer. Both in bytes. */
export function weightGrowth(from: number, to: number): number {
  return to <= from ? 1 : (LINK_MARKUP + to) / (LINK_MARKUP + from);
}

/** Of `uriOf`, without making it. @param prefix what the prefix takes */
function escapedUri(prefix: number, key: ResourceKey): number {
  return key.startsWith('/') ? prefix + escaped(key) - 1 : escaped(key);
}

/** `&` becomes `&amp;`, a quotation mark (a parameter of a media type) `&quot;`: at most 5 bytes more each. */
function escaped(text: string): number {
  let length = text.length;
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) length += 4;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) length += 5;
  return length;
}
