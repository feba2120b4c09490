import { hash } from 'node:crypto';
import type { Change, ChangeKind } from '../../domain/change.ts';
import { HASH_ALGORITHMS, type HashAlgorithm, type Hashes } from '../../domain/hash.ts';
import { keyOfPath, type Location, locationOf, type ResourceKey } from '../../domain/key.ts';
import type { Link, RecordPlace, Resource, ResourceState, Tombstone } from '../../domain/resource.ts';
import type { SetId } from '../../domain/resource-set.ts';
import { formatStamp, type Stamp } from '../../domain/stamp.ts';
import { formatSeconds } from '../../domain/w3c-datetime.ts';

/** The fields of a state, in the words of the OpenMinTeD protocol (mappings/README.md). */
interface StateFields {
  readonly length?: number;
  readonly md5?: string;
  /** `algorithm:digest`, strongest first. */
  readonly hash?: readonly string[];
  readonly mime?: string;
  readonly lastmod?: string;
  readonly ln?: readonly LinkFields[];
  readonly record?: RecordPlace;
}

interface LinkFields {
  readonly rel: string;
  /** `key` where the location alone does not tell it. */
  readonly href: Location & { readonly key?: ResourceKey };
  readonly mime?: string;
}

/** A document of the index of resources. */
export interface ResourceDocument extends StateFields {
  readonly doc_type: 'resource' | 'tombstone';
  readonly set: SetId;
  readonly order: string;
  readonly stamp: Stamp;
  readonly created: Stamp;
  /** A tombstone has none. */
  readonly weight?: number;
}

/** A document of the index of changes. */
export interface ChangeDocument extends StateFields {
  readonly set: SetId;
  readonly order: string;
  readonly change: ChangeKind;
  readonly stamp: Stamp;
  readonly window: number;
  readonly weight: number;
}

const SET_DIGITS = 10;

/** What resources are sorted by: sets in the order of their ids, the keys of each in the order of their bytes. */
export function orderOf(set: SetId, key: ResourceKey): string {
  return String(set).padStart(SET_DIGITS, '0') + key;
}

/** Above every key of a set: keys are ASCII. */
export function orderEnd(set: SetId): string {
  return orderOf(set, '\u007f');
}

export function keyOfOrder(order: string): ResourceKey {
  return order.slice(SET_DIGITS);
}

/** The `_id` of a resource. Keys are longer than the 512 bytes that an `_id` may have; 132 bits tell 10^12 of them apart. */
export function resourceId(order: string): string {
  return hash('sha256', order, 'base64url').slice(0, 22);
}

/** Whether a resource is a milestone: one in 4,096 is, by its hash. Long ranges are cut there. */
export function isMilestone(id: string): boolean {
  return id.startsWith('AA');
}

/** The fields that documents of a resource and of its change share, as JSON without braces. */
export function stateFields(key: ResourceKey, state: ResourceState | undefined): string {
  let fields = `"location":${JSON.stringify(locationOf(key))}`;
  if (state === undefined) return fields;
  const { length, hashes, mime, lastmod, links, record } = state;
  if (length !== undefined) fields += `,"length":${length}`;
  if (hashes?.md5 !== undefined) fields += `,"md5":"${hashes.md5}"`;
  if (hashes !== undefined) fields += `,"hash":${JSON.stringify(hashList(hashes))}`;
  if (mime !== undefined) fields += `,"mime":${JSON.stringify(mime)}`;
  if (lastmod !== undefined) fields += `,"lastmod":"${formatSeconds(lastmod)}"`;
  if (links !== undefined && links.length > 0) fields += `,"ln":${JSON.stringify(links.map(linkFields))}`;
  if (record !== undefined) fields += `,"record":${JSON.stringify(record)}`;
  return fields;
}

/** The names of the set and of the key, and when it is written; as JSON without braces. */
export function identityFields(
  { set, order }: { readonly set: SetId; readonly order: string },
  { slug, timestamp }: { readonly slug: string; readonly timestamp: string },
): string {
  return `"resource_set":"${slug}","set":${set},"order":${JSON.stringify(order)},"timestamp":"${timestamp}"`;
}

export function stampFields(kind: ChangeKind, stamp: Stamp): string {
  return `"change":"${kind}","datetime":"${formatStamp(stamp)}","stamp":${stamp}`;
}

export function toResource(document: ResourceDocument): Resource | Tombstone {
  const { doc_type, order, stamp, created } = document;
  return { key: keyOfOrder(order), state: doc_type === 'tombstone' ? undefined : toState(document), stamp, created };
}

export function toChange(document: ChangeDocument): Change {
  const { set, order, change, stamp, window, weight } = document;
  const state = change === 'deleted' ? undefined : toState(document);
  return { set, key: keyOfOrder(order), kind: change, stamp, state, weight, window };
}

/** In the order of `encodeState`, so that encoding it again gives the same text. */
export function toState({ lastmod, length, mime, hash: hashes, ln, record }: StateFields): ResourceState {
  return {
    ...(lastmod !== undefined && { lastmod: Date.parse(lastmod) / 1000 }),
    ...(length !== undefined && { length }),
    ...(mime !== undefined && { mime }),
    ...(hashes !== undefined && { hashes: toHashes(hashes) }),
    ...(ln !== undefined && { links: ln.map(toLink) }),
    ...(record !== undefined && { record }),
  };
}

function hashList(hashes: Hashes): string[] {
  const list: string[] = [];
  for (const algorithm of HASH_ALGORITHMS) {
    const digest = hashes[algorithm];
    if (digest !== undefined) list.push(`${algorithm}:${digest}`);
  }
  return list;
}

function toHashes(list: readonly string[]): Hashes {
  const hashes: Partial<Record<HashAlgorithm, string>> = {};
  for (const text of list) {
    const colon = text.indexOf(':');
    hashes[text.slice(0, colon) as HashAlgorithm] = text.slice(colon + 1);
  }
  return hashes;
}

function linkFields({ rel, href, mime }: Link): LinkFields {
  const location = locationOf(href);
  const key = keyOfLocation(location) === href ? {} : { key: href };
  return { rel, href: { ...location, ...key }, ...(mime !== undefined && { mime }) };
}

function toLink({ rel, href, mime }: LinkFields): Link {
  return { rel, href: href.key ?? keyOfLocation(href), ...(mime !== undefined && { mime }) };
}

function keyOfLocation({ value, type }: Location): ResourceKey {
  return type === 'url' ? value : keyOfPath(value);
}
