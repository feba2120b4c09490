import type { ResourceKey } from './key.ts';
import { formatStamp, type Stamp } from './stamp.ts';

/** URLs below the base URL, which has no trailing slash. Those of documents are in publish/documents.ts. */

/** The web page of the source. */
export function sourceHome(baseUrl: string): string {
  return `${baseUrl}/`;
}

/** The web page of a set. */
export function setHome(baseUrl: string, slug: string): string {
  return `${baseUrl}/sets/${slug}/`;
}

/**
 * The base URL of a set of records as a repository of OAI-PMH; without a set, of the repository of all organizations.
 */
export function oaiBase(baseUrl: string, slug?: string): string {
  return slug === undefined ? `${baseUrl}/oai` : `${baseUrl}/oai/${slug}`;
}

/** The URL of the stream of a set's changes. */
export function changeStream(baseUrl: string, slug: string): string {
  return `${baseUrl}/api/sets/${slug}/changes/stream`;
}

/** The prefix of resources that this server serves; ends with a slash. */
export function resourcesPrefix(baseUrl: string, slug: string): string {
  return `${setHome(baseUrl, slug)}resources/`;
}

/**
 * The URL of a kept version of a resource, by the time of its change (RFC 7089: URI-M).
 * @param home home URL of the set
 */
export function mementoUri(home: string, stamp: Stamp, key: ResourceKey): string {
  return `${home}versions/${formatStamp(stamp)}${key}`;
}

/** The URL that redirects to the version at a time (RFC 7089: URI-G). */
export function timeGateUri(home: string, key: ResourceKey): string {
  return `${home}timegate${key}`;
}

/** The URL of the list of kept versions (RFC 7089: URI-T). */
export function timeMapUri(home: string, key: ResourceKey): string {
  return `${home}timemap${key}`;
}
