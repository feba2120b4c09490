import type { ResourceKey } from './key.ts';
import { formatStamp, type Stamp } from './stamp.ts';

/** Addresses below the base URL, which ends without a slash. Those of documents are in publish/documents.ts. */

/** The page of the source. */
export function sourceHome(baseUrl: string): string {
  return `${baseUrl}/`;
}

/** The page of a set. */
export function setHome(baseUrl: string, slug: string): string {
  return `${baseUrl}/sets/${slug}/`;
}

/** Sends each change of a set as it happens. */
export function changeStream(baseUrl: string, slug: string): string {
  return `${baseUrl}/api/sets/${slug}/changes/stream`;
}

/** The prefix of resources that this server serves; ends with a slash. */
export function resourcesPrefix(baseUrl: string, slug: string): string {
  return `${setHome(baseUrl, slug)}resources/`;
}

/** A kept version of a resource, by the time of its change (RFC 7089: URI-M). @param home of the set */
export function mementoUri(home: string, stamp: Stamp, key: ResourceKey): string {
  return `${home}versions/${formatStamp(stamp)}${key}`;
}

/** Redirects to the version of a time (RFC 7089: URI-G). */
export function timeGateUri(home: string, key: ResourceKey): string {
  return `${home}timegate${key}`;
}

/** Lists the kept versions (RFC 7089: URI-T). */
export function timeMapUri(home: string, key: ResourceKey): string {
  return `${home}timemap${key}`;
}
