import type { Readable } from 'node:stream';
import type { Hashes } from '../core/hash.ts';
import type { DraftPlace } from './drafts.ts';

/**
 * Objects that are never changed, under keys: a folder, or a prefix of an S3 bucket. Held to these promises by
 * test/contract/artifact-store.ts. Keys are relative to it, printable ASCII without spaces, with `/` between names;
 * none is empty or begins with a dot, which is for what the store keeps for itself (plain-key.ts); other keys are
 * `invalid`.
 *
 * A fault that may pass is `unavailable`: the server denies, throttles, does not answer, or cuts its answer off.
 */
export interface ArtifactStore {
  /** As messages name it; without credentials. */
  readonly name: string;

  /**
   * Where an object is, as Spark takes it: `s3a://bucket/prefix/key` or `file:///folder/key`, nothing percent-encoded.
   */
  pathOf(key: ObjectKey): string;

  /**
   * Writes an object as a stream. It is there whole, durably, when this resolves, and not at all before; when it fails,
   * nothing is there.
   * @throws TidemarkError `conflict` when the key is taken: nothing is ever overwritten; the signal's reason when it is
   *   aborted; what the body throws
   */
  put(key: ObjectKey, body: ArtifactBody, options?: PutOptions): Promise<StoredObject>;

  /**
   * Writes small objects as `put` does with `restores`, all of them together, which takes a fraction of the time. When
   * it resolves, all of them are stored, durably; when it fails, each of them is stored whole, or not at all.
   */
  putAll(objects: readonly SmallObject[], options?: Pick<PutOptions, 'contentType'>): Promise<void>;

  /**
   * Lets threads write small objects themselves, so that their bytes need not be handed to another thread. Absent where
   * that takes no less time than `putAll`.
   */
  beginDrafts?(): Promise<Drafts>;

  /**
   * Opens an object, or a part of it, for reading. The stream fails with `unavailable` when not all bytes come.
   * @throws TidemarkError `not-found`; `invalid` when the range is beyond the end
   */
  get(key: ObjectKey, options?: GetOptions): Promise<OpenObject>;

  /**
   * All bytes of an object. A folder reads them by calls that block, which for small objects cost a fraction of others:
   * for threads that do nothing else.
   * @throws TidemarkError `not-found`
   */
  readSmall(key: ObjectKey): Promise<Uint8Array>;

  /**
   * Fills a buffer with the first bytes of an object, by calls that block. Returns false when it has fewer, or cannot
   * be read: then `readSmall` finds out why. Absent where reading cannot block.
   */
  fill?(key: ObjectKey, buffer: Uint8Array): boolean;

  /** Does nothing where there is no object. An object that is being read may break off. */
  delete(key: ObjectKey): Promise<void>;

  /**
   * Deletes an object unless it was modified at this time (milliseconds since 1970) or later. Returns whether it was
   * deleted. In a bucket, an object that is written in between is deleted, too.
   */
  deleteOlder(key: ObjectKey, than: number): Promise<boolean>;

  /** Undefined when there is no such object. */
  head(key: ObjectKey): Promise<ListedObject | undefined>;

  /** All objects whose key begins with `prefix`, ascending by the bytes of their keys, as batches. */
  list(prefix: string): AsyncIterable<readonly ListedObject[]>;

  /**
   * The names of the folders right below a folder (empty, or ending with a slash), ascending; none for one that is not
   * there.
   */
  folders(under: string): Promise<readonly string[]>;

  /** The objects right below a folder, ascending by the bytes of their keys. */
  objects(under: string): Promise<readonly ListedObject[]>;

  /**
   * Removes what is left of objects that killed processes were writing: what no process has begun or written to since
   * a time. Returns how many there were.
   * @param before milliseconds since 1970; long enough ago that no process may still be writing them
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
  /** Of a new draft. */
  place(): DraftPlace;

  /**
   * Does with drafts what `putAll` does with bytes. Those that are not named are removed, also when it fails; call it
   * once, without any to give up.
   */
  keep(drafts: readonly Draft[]): Promise<void>;
}

export interface Draft {
  readonly key: ObjectKey;
  /** As in its place. */
  readonly path: string;
}

export interface PutOptions {
  readonly contentType?: string | undefined;
  /** Hashes to compute; by default all. */
  readonly hashes?: readonly ['sha-256'] | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Few parts of a large object wait in memory, for a server that does other work meanwhile. */
  readonly sparesMemory?: boolean | undefined;
  /** The key follows from the bytes: an object that exists has the same ones. It gets the time of now. */
  readonly restores?: boolean | undefined;
}

export interface GetOptions {
  /** The first byte, and how many, at least one; fewer when the object ends before. */
  readonly range?: { readonly start: number; readonly length: number } | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface StoredObject {
  readonly key: ObjectKey;
  /** Bytes. */
  readonly length: number;
  /** Of all its bytes: sha-256 and, unless fewer were asked for, all others. */
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
  /** The bytes of the range. A caller that does not read it to its end destroys it. */
  readonly body: Readable;
}
