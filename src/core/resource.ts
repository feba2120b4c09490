import { parseStored } from './errors.ts';
import { HASH_ALGORITHMS, type Hashes } from './hash.ts';
import { jsonString } from './json-string.ts';
import type { ResourceKey } from './key.ts';
import type { Stamp } from './stamp.ts';
import type { Seconds } from './w3c-datetime.ts';

/** A link to a related resource (ResourceSync 1.1, 14). `href` is a key of the set, or a whole URL elsewhere. */
export interface Link {
  readonly rel: string;
  readonly href: ResourceKey;
  readonly mime?: string;
  /** Its priority among the links with its relation, from 1, the highest. */
  readonly pri?: number;
  readonly modified?: Seconds;
  /** Bytes. */
  readonly length?: number;
  readonly hashes?: Hashes;
}

/**
 * The place of a record's document, which one range request can read. An artifact never changes, so a place is valid as
 * long as the artifact exists.
 */
export interface RecordPlace {
  /** The key of the artifact, see artifacts/artifact-key.ts. */
  readonly artifact: string;
  /** Position in bytes of the record's block in the artifact. */
  readonly offset: number;
  /** Bytes of the block. */
  readonly length: number;
  /** Index of the record in the block, from 0. */
  readonly position: number;
}

/** The place of the bytes of a kept version that are stored together with those of other versions. */
export interface VersionPlace {
  /** The name of the pack, see artifacts/keys/set-keys.ts. */
  readonly pack: string;
  /** Position in bytes in the pack. */
  readonly offset: number;
}

/** The state of a resource besides its key. An absent field is unknown. A difference in these fields is a change. */
export interface ResourceState {
  readonly lastmod?: Seconds;
  /** Bytes. */
  readonly length?: number;
  readonly hashes?: Hashes;
  readonly mime?: string;
  readonly links?: readonly Link[];
  /** Only for a resource that is a record of an artifact, or a whole artifact. Never published. */
  readonly record?: RecordPlace;
  /**
   * Only for a resource that is a file. Never published. Without it, the bytes of the version are stored alone, if they
   * are kept. Another place is not a change by itself.
   */
  readonly kept?: VersionPlace;
}

/** A live resource, as stored in the index. */
export interface Resource {
  readonly key: ResourceKey;
  readonly state: ResourceState;
  /** The stamp of its last change. */
  readonly stamp: Stamp;
  /** The stamp at which it was last created. It shows whether a page contained it at a given time. */
  readonly created: Stamp;
  /** The highest order of the events that were decided for it; absent when none had one. */
  readonly order?: number;
}

/** The trace of a deletion, so that a late repetition cannot recreate the resource. */
export interface Tombstone {
  readonly key: ResourceKey;
  readonly state: undefined;
  readonly stamp: Stamp;
  readonly created: Stamp;
  readonly order?: number;
}

/** A state as canonical JSON: states are equal if and only if their texts are equal. */
export type EncodedState = string;

export function encodeState({ lastmod, length, hashes, mime, links, record, kept }: ResourceState): EncodedState {
  const date = lastmod === undefined ? '' : `,"lastmod":${lastmod}`;
  const size = length === undefined ? '' : `,"length":${length}`;
  const media = mime === undefined ? '' : `,"mime":${jsonString(mime)}`;
  const digests = hashes === undefined ? '' : encodeHashes(hashes);
  const related = links === undefined || links.length === 0 ? '' : encodeLinks(links);
  const place = record === undefined ? '' : `,"record":${JSON.stringify(placeInOrder(record))}`;
  const version = kept === undefined ? '' : `,"kept":{"pack":${jsonString(kept.pack)},"offset":${kept.offset}}`;
  return `{${`${date}${size}${media}${digests}${related}${place}${version}`.slice(1)}}`;
}

/** @throws TidemarkError `unavailable` when the store that it is from is damaged */
export function decodeState(text: EncodedState): ResourceState {
  return parseStored(text, 'the state of a resource');
}

/** @param state a state, or its text */
export function encodedState(state: ResourceState | EncodedState): EncodedState {
  return typeof state === 'string' ? state : encodeState(state);
}

/** @param state a state, or its text */
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

/** The member of a state's JSON, with a leading comma. */
export function encodeLinks(links: readonly Link[]): string {
  let items = '';
  for (const link of links) {
    const { rel, href } = link;
    items += `${items === '' ? '' : ','}{"rel":${jsonString(rel)},"href":${jsonString(href)}${encodeAttributes(link)}}`;
  }
  return `,"links":[${items}]`;
}

/** The attributes of a link besides `rel` and `href`: members of a JSON object, each with a leading comma. */
export function encodeAttributes({ mime, pri, modified, length, hashes }: Omit<Link, 'rel' | 'href'>): string {
  const media = mime === undefined ? '' : `,"mime":${jsonString(mime)}`;
  const priority = pri === undefined ? '' : `,"pri":${pri}`;
  const date = modified === undefined ? '' : `,"modified":${modified}`;
  const size = length === undefined ? '' : `,"length":${length}`;
  return `${media}${priority}${date}${size}${hashes === undefined ? '' : encodeHashes(hashes)}`;
}
