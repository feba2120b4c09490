import { HASH_ALGORITHMS, type Hashes } from './hash.ts';
import { jsonString } from './json-string.ts';
import type { ResourceKey } from './key.ts';
import type { Stamp } from './stamp.ts';
import type { Seconds } from './w3c-datetime.ts';

/** A link to a related resource (ResourceSync 1.1, 14); `href` is a key of the set, or a whole URL elsewhere. */
export interface Link {
  readonly rel: string;
  readonly href: ResourceKey;
  readonly mime?: string;
  /** Its priority among the links of its relation, from 1 on, which is the highest. */
  readonly pri?: number;
  readonly modified?: Seconds;
  /** Bytes. */
  readonly length?: number;
  readonly hashes?: Hashes;
}

/**
 * Where a record's document is: what one range request reads. An artifact never changes, so this holds until the
 * artifact itself is taken away.
 */
export interface RecordPlace {
  /** The key of the artifact, see artifacts/artifact-key.ts. */
  readonly artifact: string;
  /** The byte of the artifact at which the record's block begins. */
  readonly offset: number;
  /** Bytes of the block. */
  readonly length: number;
  /** Which record of the block; the first is 0. */
  readonly position: number;
}

/** What is known of a resource besides its key. An absent field is unknown. These fields are what counts as news. */
export interface ResourceState {
  readonly lastmod?: Seconds;
  /** Bytes. */
  readonly length?: number;
  readonly hashes?: Hashes;
  readonly mime?: string;
  readonly links?: readonly Link[];
  /** Only of a resource that is a record of an artifact, or an artifact as a whole. Never published. */
  readonly record?: RecordPlace;
}

/** A live resource as the index holds it. */
export interface Resource {
  readonly key: ResourceKey;
  readonly state: ResourceState;
  /** The stamp of its last change. */
  readonly stamp: Stamp;
  /** The stamp at which it was last created; shows whether a page contained it at a given time. */
  readonly created: Stamp;
  /** The highest order of the events that were decided for it; absent when none had one. */
  readonly order?: number;
}

/** What a deletion leaves behind, so that a late repeat cannot bring the resource back. */
export interface Tombstone {
  readonly key: ResourceKey;
  readonly state: undefined;
  readonly stamp: Stamp;
  readonly created: Stamp;
  readonly order?: number;
}

/** A state as canonical JSON: two states are the same exactly when their texts are. */
export type EncodedState = string;

export function encodeState({ lastmod, length, hashes, mime, links, record }: ResourceState): EncodedState {
  const date = lastmod === undefined ? '' : `,"lastmod":${lastmod}`;
  const size = length === undefined ? '' : `,"length":${length}`;
  const media = mime === undefined ? '' : `,"mime":${jsonString(mime)}`;
  const digests = hashes === undefined ? '' : encodeHashes(hashes);
  const related = links === undefined || links.length === 0 ? '' : encodeLinks(links);
  const place = record === undefined ? '' : `,"record":${JSON.stringify(placeInOrder(record))}`;
  return `{${`${date}${size}${media}${digests}${related}${place}`.slice(1)}}`;
}

export function decodeState(text: EncodedState): ResourceState {
  return JSON.parse(text);
}

/** @param state which may be text already */
export function encodedState(state: ResourceState | EncodedState): EncodedState {
  return typeof state === 'string' ? state : encodeState(state);
}

/** @param state which may be text still */
export function decodedState(state: ResourceState | EncodedState): ResourceState {
  return typeof state === 'string' ? decodeState(state) : state;
}

function placeInOrder({ artifact, offset, length, position }: RecordPlace): RecordPlace {
  return { artifact, offset, length, position };
}

function encodeHashes(hashes: Hashes): string {
  let members = '';
  for (const algorithm of HASH_ALGORITHMS) {
    const digest = hashes[algorithm];
    if (digest !== undefined) members += `${members === '' ? '' : ','}"${algorithm}":"${digest}"`;
  }
  return members === '' ? '' : `,"hashes":{${members}}`;
}

function encodeLinks(links: readonly Link[]): string {
  let items = '';
  for (const link of links) {
    const { rel, href } = link;
    items += `${items === '' ? '' : ','}{"rel":${jsonString(rel)},"href":${jsonString(href)}${encodeAttributes(link)}}`;
  }
  return `,"links":[${items}]`;
}

/** What a link has besides `rel` and `href`: members of a JSON object, each with a comma before it. */
export function encodeAttributes({ mime, pri, modified, length, hashes }: Omit<Link, 'rel' | 'href'>): string {
  const media = mime === undefined ? '' : `,"mime":${jsonString(mime)}`;
  const priority = pri === undefined ? '' : `,"pri":${pri}`;
  const date = modified === undefined ? '' : `,"modified":${modified}`;
  const size = length === undefined ? '' : `,"length":${length}`;
  return `${media}${priority}${date}${size}${hashes === undefined ? '' : encodeHashes(hashes)}`;
}
