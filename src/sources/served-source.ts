import type { Readable } from 'node:stream';
import type { ResourceKey } from '../core/key.ts';
import type { ResourceState } from '../core/resource.ts';
import type { Seconds } from '../core/w3c-datetime.ts';

/** What requests need of a source: bytes of resources, and what a client may not post. */
export interface ServedSource {
  /**
   * Opens a resource as it is now, for one response.
   * @throws TidemarkError `not-found` when the source has no such resource (any more), or leaves it out; `unavailable`
   *   when it cannot be read
   */
  open(resource: LiveResource, wanted: WantedBytes): Promise<OpenedResource>;

  /** In which forms each of its resources can be read, first the one that states describe; absent where that is all. */
  readonly representations?: readonly Representation[];

  /**
   * What the source leaves out now, where others may post to its set. It may be asked about any path.
   * @throws TidemarkError `unavailable` when that cannot be known
   */
  leavesOut?(): Promise<LeavesOut>;
}

/** Whether a file, or a folder above it, is left out. */
export type LeavesOut = (path: string) => boolean;

/** A resource that was not deleted, as the store has it. */
export interface LiveResource {
  readonly key: ResourceKey;
  readonly state: ResourceState;
}

/** A form in which a resource can be read. */
export interface Representation {
  readonly mime: string;
  /** Other media types by which clients ask for it. */
  readonly alsoAsked?: readonly string[];
  /** What follows the key of the resource in the key of this form alone. */
  readonly suffix: string;
}

export interface WantedBytes {
  readonly method: 'GET' | 'HEAD';
  /** Whether all bytes are likely to be read: a source may then request them with what describes them. */
  readonly isWhole: boolean;
  /** Of the source's; the first without one. */
  readonly representation?: Representation | undefined;
}

/** Bytes, or the server that sends them instead of this one. */
export type OpenedResource = OpenedBytes | RedirectedResource;

/** The bytes of one version of a resource. To be closed, unless they are read. */
export interface OpenedBytes {
  /** Bytes of all of it. */
  readonly length: number;
  readonly mime: string | undefined;
  /** Distinguishes versions of the bytes, as the opaque part of an ETag. */
  readonly tag: string;
  readonly lastModified: Seconds | undefined;
  /** Whether two versions cannot have the same `lastModified`. */
  readonly dateTellsVersions: boolean;
  /**
   * Reads one range that is not empty, once. What is read part by part closes what was opened, and fails before its
   * last bytes when the version has changed meanwhile: no client takes a mixture for one version.
   * @throws TidemarkError `unavailable` when the source does not have the bytes that the state describes
   */
  read(range: ServedRange): Promise<ServedBytes>;
  close(): Promise<void>;
}

/** All bytes, or what they are read from. */
export type ServedBytes = Buffer | Readable | FileBytes;

/** Bytes of an open file, which are read into memory of the caller. */
export interface FileBytes {
  /**
   * Reads the next bytes. Returns how many; 0 after the last.
   * @throws TidemarkError `conflict` before the last bytes, when the file was changed since it was opened
   */
  read(into: Buffer): Promise<number>;
  /** Those that were not read yet, for a caller that has no memory of its own. The stream closes the file. */
  stream(): Readable;
  close(): Promise<void>;
}

export interface ServedRange {
  readonly start: number;
  /** Bytes. */
  readonly length: number;
}

/** Other clients must not get the URL: it gives access to the resource. */
export interface RedirectedResource {
  readonly redirect: string;
}
