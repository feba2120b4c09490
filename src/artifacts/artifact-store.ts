import type { Readable } from 'node:stream';
import type { Hashes } from '../core/hash.ts';
import type { DraftPlace } from './drafts.ts';

/**
 * Immutable objects, by key: in a folder, or below a prefix of an S3 bucket. test/contract/artifact-store.ts tests
 * these promises. Keys are relative, printable ASCII without spaces, with `/` between names. No name is empty or begins
 * with a dot: such names are the store's own (plain-key.ts). Other keys are `invalid`.
 *
 * Temporary faults are `unavailable`: the server denies, throttles, does not respond, or cuts its response off.
 */
export interface ArtifactStore {
  /** The name in messages, without credentials. */
  readonly name: string;

  /**
   * The URI of an object in the form of Spark: `s3a://bucket/prefix/key` or `file:///folder/key`, never
   * percent-encoded.
   */
  pathOf(key: ObjectKey): string;

  /**
   * Writes an object as a stream. The object exists, complete and durable, when this resolves, and not before. If it
   * fails, there is no object.
   * @throws TidemarkError `conflict` when the key exists: nothing is ever overwritten; the signal's reason when it is
   *   aborted; what the body throws
   */
  put(key: ObjectKey, body: ArtifactBody, options?: PutOptions): Promise<StoredObject>;

  /**
   * Writes small objects together, as `put` does with `restores`, which takes a fraction of the time. When it resolves,
   * all of them are durable. If it fails, each one is either complete or absent.
   */
  putAll(objects: readonly SmallObject[], options?: Pick<PutOptions, 'contentType'>): Promise<void>;

  /**
   * Lets threads write small objects themselves, so that their bytes need not be sent to another thread. Absent if that
   * is no faster than `putAll`.
   */
  beginDrafts?(): Promise<Drafts>;

  /**
   * Opens an object, or a part of it, for reading. The stream fails with `unavailable` if it ends early.
   * @throws TidemarkError `not-found`; `invalid` when the range is beyond the end
   */
  get(key: ObjectKey, options?: GetOptions): Promise<OpenObject>;

  /**
   * Reads a whole object, or a part of it. A folder reads it synchronously, which takes a fraction of the time for
   * small objects: use it in threads that do nothing else.
   * @throws TidemarkError as `get`
   */
  readSmall(key: ObjectKey, range?: ObjectRange): Promise<Uint8Array>;

  /** Deletes an object if it exists. Reading it at the same time may fail. */
  delete(key: ObjectKey): Promise<void>;

  /**
   * Deletes an object unless it was modified at this time (milliseconds since 1970) or later. Returns whether it was
   * deleted. In a bucket, an object that is written meanwhile is deleted, too.
   */
  deleteOlder(key: ObjectKey, than: number): Promise<boolean>;

  /** Describes an object; undefined when it does not exist. */
  head(key: ObjectKey): Promise<ListedObject | undefined>;

  /** Yields all objects whose keys begin with `prefix`, in batches, ascending by the bytes of their keys. */
  list(prefix: string): AsyncIterable<readonly ListedObject[]>;

  /**
   * The names of the folders directly below a folder (empty, or ending with a slash), ascending; empty if the folder
   * does not exist.
   */
  folders(under: string): Promise<readonly string[]>;

  /** The objects directly below a folder, ascending by the bytes of their keys. */
  objects(under: string): Promise<readonly ListedObject[]>;

  /**
   * Removes unfinished objects that no process has written to since a time. Returns their number.
   * @param before milliseconds since 1970, so long ago that no process may still be writing them
   */
  removeUnfinished(before: number): Promise<number>;

  close(): Promise<void>;
}

/** Such as `cdl/harvest/20170209/20170209_104428-cdl-OriginalRecord.v1.avro`: see artifact-key.ts. */
export type ObjectKey = string;

export type ArtifactBody = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

export interface SmallObject {
  readonly key: ObjectKey;
  readonly bytes: Uint8Array;
}

/** A batch of small objects that threads write as drafts, by `writeDraft` (drafts.ts). */
export interface Drafts {
  readonly place: DraftPlace;

  /**
   * Stores drafts, as `putAll` stores bytes. Removes all other drafts of this batch, also if it fails. Call it once;
   * without drafts, it only removes.
   */
  keep(drafts: readonly Draft[]): Promise<void>;
}

export interface Draft {
  readonly key: ObjectKey;
  /** As it was written by `writeDraft`. */
  readonly name: string;
}

export interface PutOptions {
  readonly contentType?: string | undefined;
  /** Hashes to compute; all by default. */
  readonly hashes?: readonly ['sha-256'] | readonly [] | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Keeps fewer parts of a large object in memory, for a server that does other work meanwhile. */
  readonly sparesMemory?: boolean | undefined;
  /**
   * The key is derived from the bytes: an existing object has the same bytes, and its modification time is set to
   * now.
   */
  readonly restores?: boolean | undefined;
}

/** The position of the first byte, and the length, at least 1; fewer bytes if the object ends before. */
export interface ObjectRange {
  readonly start: number;
  readonly length: number;
}

export interface GetOptions {
  readonly range?: ObjectRange | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface StoredObject {
  readonly key: ObjectKey;
  /** Bytes. */
  readonly length: number;
  /** Hashes of all bytes: sha-256, and all others, unless fewer were requested. */
  readonly hashes: Hashes & { readonly 'sha-256': string };
}

export interface ListedObject {
  readonly key: ObjectKey;
  /** Bytes. */
  readonly length: number;
  /** Milliseconds since 1970. */
  readonly modified: number;
}

export interface OpenObject {
  /** Bytes of the whole object. */
  readonly length: number;
  /** The bytes of the range. A caller that does not read it to its end must destroy it. */
  readonly body: Readable;
}
