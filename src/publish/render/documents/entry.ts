import { HASH_ALGORITHMS, type HashAlgorithm, type Hashes } from '../../../core/hash.ts';
import { type ResourceKey, uriOf } from '../../../core/key.ts';
import { NAVIGATION_RELATIONS, PATCH_RELATION } from '../../../core/link-relations.ts';
import type { Link, ResourceState } from '../../../core/resource.ts';
import { mementoUri, timeGateUri, timeMapUri } from '../../../core/set-uris.ts';
import { formatStamp, type Stamp } from '../../../core/stamp.ts';
import { formatSeconds } from '../../../core/w3c-datetime.ts';
import { escapeXml } from '../../../lib/escape-xml.ts';

export interface EntryStyle {
  /** The prefix of the URIs of the set; ends with a slash. */
  readonly urlPrefix: string;
  /** Hashes to publish beside the strongest one that a resource has. */
  readonly publishHashes: readonly HashAlgorithm[];
  /** Present for a set that publishes versions. */
  readonly versions?: VersionStyle | undefined;
}

interface VersionStyle {
  /** The address of the set; ends with a slash. */
  readonly home: string;
  /** The boundary above which the version after each change was kept. */
  readonly since: Stamp;
  /** In a Change List: the boundary below which versions of changes may have been removed. */
  readonly pruned?: Stamp;
}

/** Increase it when the markup of entries changes: documents of other versions are then rendered again. */
export const ENTRY_VERSION = 2;

/** Media type of a TimeMap (RFC 6690). */
export const LINK_FORMAT = 'application/link-format';

interface LinkStyle extends EntryStyle {
  /** Whether it is the entry of a Change List. */
  readonly takesPatches: boolean;
}

export interface Entry {
  readonly key: ResourceKey;
  /** The state to publish; a deleted resource has none. */
  readonly state: ResourceState | undefined;
  /** The first attributes of rs:md, as markup that begins with a space; or empty. */
  readonly event: string;
  /** Stamp of the change that made the state. */
  readonly stamp?: Stamp | undefined;
  /** Path in the package that a manifest describes; begins with a slash. */
  readonly path?: string;
}

/**
 * One resource or change: loc, lastmod, rs:md, rs:ln, in the order of sitemap.xsd (ResourceSync 1.1, 10.1 and 12.1), on
 * a separate line. Written as text since a page has up to 50,000 of them. Accepts any string, and always returns
 * well-formed XML.
 */
export function urlEntry(entry: Entry, style: EntryStyle): string {
  const { key, state, event, path } = entry;
  const { urlPrefix, publishHashes } = style;
  const loc = escapeXml(uriOf(urlPrefix, key));
  const lastmod = state?.lastmod === undefined ? '' : `<lastmod>${formatSeconds(state.lastmod)}</lastmod>`;
  const place = path === undefined ? '' : ` path="${escapeXml(path)}"`;
  const md = event + (state === undefined ? '' : representation(state, publishHashes)) + place;
  // ResourceSync 1.1, 14.4: in the manifest of a dump, a patch would need its own path.
  const takesPatches = event !== '' && path === undefined;
  const links = state?.links === undefined ? '' : linkElements(state.links, { ...style, takesPatches });
  return `<url><loc>${loc}</loc>${lastmod}${md === '' ? '' : `<rs:md${md}/>`}${links}${versionLinks(entry, style)}</url>\n`;
}

/**
 * ResourceSync 1.1, 14.6. A change from before versions were kept has no links: its stored weight does not include
 * them. Entries of a manifest have none either, since packages contain the versions themselves.
 */
function versionLinks({ key, state, event, stamp, path }: Entry, { versions }: EntryStyle): string {
  if (versions === undefined || stamp === undefined || state === undefined || path !== undefined) return '';
  const { home, since, pruned = 0 } = versions;
  const isKept = stamp > since;
  if (!(isKept || event === '') || !key.startsWith('/')) return '';
  // The version of a Resource List entry is the current one, which is never removed.
  const memento =
    isKept && (event === '' || stamp > pruned)
      ? `<rs:ln rel="memento" href="${escapeXml(mementoUri(home, stamp, key))}" modified="${formatStamp(stamp)}"/>`
      : '';
  const timeGate = `<rs:ln rel="timegate" href="${escapeXml(timeGateUri(home, key))}"/>`;
  return `${memento}${timeGate}<rs:ln rel="timemap" href="${escapeXml(timeMapUri(home, key))}" type="${LINK_FORMAT}"/>`;
}

function representation({ hashes, length, mime }: ResourceState, publishHashes: readonly HashAlgorithm[]): string {
  const hash = hashes === undefined ? '' : hashList(hashes, publishHashes);
  return (
    (hash === '' ? '' : ` hash="${hash}"`) +
    (length === undefined ? '' : ` length="${length}"`) +
    (mime === undefined ? '' : ` type="${escapeXml(mime)}"`)
  );
}

/** Only the strongest hash, unless the set requests others: a known client fails on several. */
function hashList(hashes: Hashes, publishHashes: readonly HashAlgorithm[]): string {
  let list = '';
  for (const algorithm of HASH_ALGORITHMS) {
    const digest = hashes[algorithm];
    if (digest === undefined) continue;
    if (list === '') list = `${algorithm}:${escapeXml(digest)}`;
    else if (publishHashes.includes(algorithm)) list += ` ${algorithm}:${escapeXml(digest)}`;
  }
  return list;
}

function linkElements(links: readonly Link[], style: LinkStyle): string {
  let elements = '';
  for (const link of links) if (isPublished(link, style)) elements += linkElement(link, style);
  return elements;
}

/** Posting rejects links that are never published, but a store may contain such links from an earlier version. */
function isPublished({ rel, mime }: Link, { takesPatches }: LinkStyle): boolean {
  // ResourceSync 1.1, 14.4: a patch leads from one state to the next, so it belongs to a change, and needs its type.
  if (rel === PATCH_RELATION) return takesPatches && mime !== undefined;
  return !NAVIGATION_RELATIONS.has(rel);
}

function linkElement(link: Link, { urlPrefix, publishHashes }: LinkStyle): string {
  const { rel, href, pri, modified } = link;
  const start = `<rs:ln rel="${escapeXml(rel)}" href="${escapeXml(uriOf(urlPrefix, href))}"`;
  // ResourceSync 1.1, 14.6: a link to a timegate should have no other attributes.
  if (rel === 'timegate') return `${start}/>`;
  const priority = pri === undefined ? '' : ` pri="${pri}"`;
  const date = modified === undefined ? '' : ` modified="${formatSeconds(modified)}"`;
  return `${start}${priority}${date}${representation(link, publishHashes)}/>`;
}
