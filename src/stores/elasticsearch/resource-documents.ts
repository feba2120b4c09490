import { hash } from 'node:crypto';
import type { Change, ChangeKind } from '../../core/change.ts';
import { HASH_ALGORITHMS, type HashAlgorithm, type Hashes } from '../../core/hash.ts';
import { jsonString } from '../../core/json-string.ts';
import { keyOfPath, type Location, locationOf, type ResourceKey } from '../../core/key.ts';
import {
  encodeAttributes,
  type Link,
  type RecordPlace,
  type Resource,
  type ResourceState,
  type Tombstone,
  type VersionPlace,
} from '../../core/resource.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import { formatSeconds } from '../../core/w3c-datetime.ts';

/** The fields of a state, with the names of the OpenMinTeD protocol (mappings/README.md). */
interface StateFields {
  readonly length?: number;
  readonly md5?: string;
  /** `algorithm:digest`, strongest first. Without MD5, but for documents of earlier versions. */
  readonly hash?: readonly string[];
  readonly mime?: string;
  readonly lastmod?: string;
  readonly ln?: readonly LinkFields[];
  /** The place of the bytes: of a record, or of a version of a file. */
  readonly record?: RecordPlace | VersionPlace;
}

interface LinkFields extends Omit<Link, 'href'> {
  /** With a `key`, if that cannot be derived from the location. */
  readonly href: Location & { readonly key?: ResourceKey };
}

/** A document of the index of resources. */
export interface ResourceDocument extends StateFields {
  /** `order`: the key never existed, and has only an order. */
  readonly doc_type: 'resource' | 'tombstone' | 'order';
  readonly set: SetId;
  readonly order: string;
  readonly stamp: Stamp;
  readonly created: Stamp;
  /** Absent for a tombstone. */
  readonly weight?: number;
  readonly event_order?: number;
  /** The stamp at which the order rose without a change. */
  readonly raised?: Stamp;
}

/** A document of the index of changes. */
export interface ChangeDocument extends StateFields {
  readonly set: SetId;
  readonly order: string;
  readonly change: ChangeKind;
  readonly stamp: Stamp;
  readonly window: number;
  readonly weight: number;
  readonly event_order?: number;
}

const SET_DIGITS = 10;
const LEADING_ZEROS = 10 ** SET_DIGITS;

/** The text by which resources are sorted: by the id of the set, then by the bytes of the key. */
export function sortKeyOf(set: SetId, key: ResourceKey): string {
  return String(LEADING_ZEROS + set).slice(1) + key;
}

/** Sorts above every key of a set: keys are ASCII. */
export function sortKeyEnd(set: SetId): string {
  return sortKeyOf(set, '\u007f');
}

export function keyOfSortKey(sortKey: string): ResourceKey {
  return sortKey.slice(SET_DIGITS);
}

/**
 * The `_id` of a resource. It is a hash, because keys may be longer than the 512 bytes of an `_id`; 132 bits
 * distinguish 10^12 keys.
 */
export function resourceId(sortKey: string): string {
  return hash('sha256', sortKey, 'base64url').slice(0, 22);
}

/** Whether a resource is a sample key, by its hash: one in 4,096 is. Long ranges are cut at sample keys. */
export function isSampleKey(id: string): boolean {
  return id.startsWith('AA');
}

/**
 * The fields that documents of a resource and of its change have in common, as JSON without braces. It consists of few
 * large pieces, because each one is a separate string until it is written.
 */
export function stateFields(key: ResourceKey, state: ResourceState | undefined): string {
  const { value, type } = locationOf(key);
  const location = `"location":{"value":${jsonString(value)},"type":"${type}"}`;
  if (state === undefined) return location;
  const { length, hashes, mime, lastmod, links, record = state.kept } = state;
  const size = length === undefined ? '' : `,"length":${length}`;
  const digests = hashes === undefined ? '' : hashFields(hashes);
  const media = mime === undefined ? '' : `,"mime":${jsonString(mime)}`;
  const date = lastmod === undefined ? '' : `,"lastmod":"${formatSeconds(lastmod)}"`;
  const related = links === undefined || links.length === 0 ? '' : linkFields(links);
  const place = record === undefined ? '' : `,"record":${JSON.stringify(record)}`;
  return `${location}${size}${digests}${media}${date}${related}${place}`;
}

/** The fields that identify the set and the key, with the time of writing, as JSON without braces. */
export function identityFields(
  { set, sortKey }: { readonly set: SetId; readonly sortKey: string },
  { slug, timestamp }: { readonly slug: string; readonly timestamp: string },
): string {
  return `"resource_set":"${slug}","set":${set},"order":${jsonString(sortKey)},"timestamp":"${timestamp}"`;
}

export function toResource(document: ResourceDocument): Resource | Tombstone {
  const { doc_type, order: sortKey, stamp, created, event_order: order } = document;
  const state = doc_type === 'tombstone' ? undefined : toState(document);
  return { key: keyOfSortKey(sortKey), state, stamp, created, ...(order !== undefined && { order }) };
}

export function toChange(document: ChangeDocument): Change {
  const { set, order: sortKey, change, stamp, window, weight, event_order: order } = document;
  const state = change === 'deleted' ? undefined : toState(document);
  const entry = { set, key: keyOfSortKey(sortKey), kind: change, stamp, state, weight, window };
  return order === undefined ? entry : { ...entry, order };
}

/** Members are in the order of `encodeState`, so that encoding the result again gives the same text. */
export function toState({ lastmod, length, mime, md5, hash, ln, record: place }: StateFields): ResourceState {
  const hashes = md5 === undefined && hash === undefined ? undefined : toHashes(hash ?? [], md5);
  return {
    ...(lastmod !== undefined && { lastmod: Date.parse(lastmod) / 1000 }),
    ...(length !== undefined && { length }),
    ...(mime !== undefined && { mime }),
    ...(hashes !== undefined && { hashes }),
    ...(ln !== undefined && { links: ln.map(toLink) }),
    ...(place !== undefined && ('pack' in place ? { kept: place } : { record: place })),
  };
}

/** Each digest once: a second one in the index takes 36 bytes. */
function hashFields(hashes: Hashes): string {
  let list = '';
  for (const algorithm of HASH_ALGORITHMS) {
    const digest = hashes[algorithm];
    if (digest !== undefined && algorithm !== 'md5') list += `${list === '' ? '' : ','}"${algorithm}:${digest}"`;
  }
  const md5 = hashes.md5 === undefined ? '' : `,"md5":"${hashes.md5}"`;
  return list === '' && md5 !== '' ? md5 : `${md5},"hash":[${list}]`;
}

function toHashes(list: readonly string[], md5: string | undefined): Hashes {
  const hashes: Partial<Record<HashAlgorithm, string>> = {};
  for (const text of list) {
    const colon = text.indexOf(':');
    hashes[text.slice(0, colon) as HashAlgorithm] = text.slice(colon + 1);
  }
  if (md5 !== undefined) hashes.md5 = md5;
  return hashes;
}

function linkFields(links: readonly Link[]): string {
  let list = '';
  for (const link of links) {
    const { rel, href } = link;
    const location = locationOf(href);
    const { value, type } = location;
    const key = keyOfLocation(location) === href ? '' : `,"key":${jsonString(href)}`;
    const others = encodeAttributes(link);
    list += `${list === '' ? '' : ','}{"rel":${jsonString(rel)},"href":{"value":${jsonString(value)},"type":"${type}"${key}}${others}}`;
  }
  return `,"ln":[${list}]`;
}

function toLink({ href, ...link }: LinkFields): Link {
  return { ...link, href: href.key ?? keyOfLocation(href) };
}

function keyOfLocation({ value, type }: Location): ResourceKey {
  return type === 'url' ? value : keyOfPath(value);
}
