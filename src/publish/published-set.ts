import { keptSince, type ResourceSet } from '../core/resource-set.ts';
import type { Stamp } from '../core/stamp.ts';
import type { EntryStyle } from './render/documents/entry.ts';

/** A set, with the addresses and settings that its documents contain. */
export interface PublishedSet {
  readonly set: ResourceSet;
  /** Ends without a slash. */
  readonly baseUrl: string;
  readonly uris: SetUris;
  readonly style: EntryStyle;
  /** The folder of its documents in the cache. */
  readonly folder: string;
  /** A digest of everything that its documents depend on besides the log. */
  readonly fingerprint: string;
  /** How its entries were written until a boundary, ascending; see `asClosed`. */
  readonly earlier?: readonly (Pick<PublishedSet, 'set' | 'style' | 'fingerprint'> & { readonly until: Stamp })[];
  /** Whether its list is a sitemap for search engines, without elements of ResourceSync. */
  readonly isPlain?: boolean;
  /** The hub that its changes are sent to; undefined where there are no notifications. */
  readonly hub?: string | undefined;
}

/** How entries of a set are written. */
export function entryStyleOf(set: ResourceSet, { home }: Pick<SetUris, 'home'>): EntryStyle {
  const { urlPrefix, publishHashes } = set;
  const since = keptSince(set);
  return { urlPrefix, publishHashes, ...(since !== undefined && { versions: { home, since } }) };
}

/** The set for a document that was closed at a boundary, which never changes again (ResourceSync 1.1, 7). */
export function asClosed(published: PublishedSet, closed: Stamp): PublishedSet {
  const earlier = published.earlier?.find(({ until }) => closed <= until);
  if (earlier === undefined) return published;
  const { set, style, fingerprint } = earlier;
  return { ...published, set, style, fingerprint };
}

/** The same set with a sitemap for search engines as its Resource List: the same pages at other addresses. */
export function asSitemap(published: PublishedSet): PublishedSet {
  const { uris } = published;
  const plain = { ...uris, resourceList: uris.sitemap, resourcePage: uris.sitemapPage };
  return { ...published, uris: plain, isPlain: true };
}

/** The addresses of a set that its documents contain. */
export interface SetUris {
  readonly home: string;
  readonly sourceDescription: string;
  readonly capabilityList: string;
  readonly changeTopic: string;
  readonly frameworkTopic: string;
  readonly resourceList: string;
  readonly changeList: string;
  readonly recentChanges: string;
  readonly resourceDump: string;
  readonly changeDump: string;
  readonly resourceListArchive: string;
  readonly resourceDumpArchive: string;
  readonly changeListArchive: string;
  readonly changeDumpArchive: string;
  readonly sitemap: string;
  resourcePage(name: string): string;
  sitemapPage(name: string): string;
  changeWindow(name: string): string;
  dumpPart(part: string): string;
  resourceListArchivePart(part: string): string;
  /** Address of an archived Resource List by its time, or of one of its pages. */
  archivedList(time: string): string;
  resourceDumpArchivePart(part: string): string;
  /** Address of an archived Resource Dump by its completion time, or of one of its parts. */
  archivedDump(time: string): string;
  changeListArchivePart(part: string): string;
  changeDumpPart(part: string): string;
  changeDumpArchivePart(part: string): string;
  /** Address of the Change Dump of a window, by its name. */
  archivedChangeDump(name: string): string;
  /** Address of a package, by its name. */
  dumpPackage(name: string): string;
  dumpManifest(name: string): string;
  /** Address of a package of changes, by its name. */
  changePackage(name: string): string;
  changeManifest(name: string): string;
}
