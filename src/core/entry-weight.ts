import type { ResourceKey } from './key.ts';
import type { Link, ResourceState } from './resource.ts';

// An entry with every attribute, three hashes and no link: markup 180, dates 60, numbers 20, digests and their names
// 160.
const MARKUP = 420;
const LINK_MARKUP = 40;
// Three links to versions: markup 240, two dates, and the URL of the set in each. If the resources of the set are
// elsewhere, its URL is unknown.
const VERSION_LINKS = 300;
const LEAST_HOME = 100;
/** The greatest factor by which links to versions increase the weight of an entry. */
export const VERSION_LINKS_GROWTH = 4;
// ` pri="999999" modified="2026-01-31T12:00:00Z" length="9007199254740991"`, and hashes as for an entry.
const LINK_NUMBERS = 80;
const LINK_HASHES = 170;

/**
 * An upper bound of the bytes of a resource in a Resource List or Change List, so that pages and windows can be cut
 * below 50 MB without rendering them. Texts are ASCII, or were checked to contain no markup except `&`.
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

/** The weight of a resource's entry in a set, including links to versions if the set keeps them. */
export function weightInSet(
  { urlPrefix, keepVersions }: { readonly urlPrefix: string; readonly keepVersions?: boolean | undefined },
  key: ResourceKey,
  state: ResourceState | undefined,
): number {
  const links = keepVersions && state !== undefined ? versionLinksWeight(urlPrefix, key) : 0;
  return entryWeight(urlPrefix, key, state) + links;
}

/** The weight of a resource's links to versions. */
function versionLinksWeight(urlPrefix: string, key: ResourceKey): number {
  return VERSION_LINKS + 3 * (Math.max(escaped(urlPrefix), LEAST_HOME) + escaped(key));
}

/** The weight of a prefix in an entry. */
export function prefixWeight(urlPrefix: string): number {
  return escaped(urlPrefix);
}

/** The factor by which an entry may exceed its stored weight after its prefix became longer. Both lengths in bytes. */
export function weightGrowth(from: number, to: number): number {
  return to <= from ? 1 : (LINK_MARKUP + to) / (LINK_MARKUP + from);
}

/**
 * The weight of `uriOf`, computed without the URI.
 * @param prefix weight of the prefix
 */
function escapedUri(prefix: number, key: ResourceKey): number {
  return key.startsWith('/') ? prefix + escaped(key) - 1 : escaped(key);
}

/** `&` becomes `&amp;`, and a quotation mark (in a parameter of a media type) `&quot;`: at most 5 more bytes each. */
function escaped(text: string): number {
  let length = text.length;
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) length += 4;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) length += 5;
  return length;
}
