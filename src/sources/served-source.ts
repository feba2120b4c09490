import type { Readable } from 'node:stream';
import type { ResourceKey } from '../core/key.ts';
import type { ResourceState } from '../core/resource.ts';
import type { Seconds } from '../core/w3c-datetime.ts';

/** The operations of a source that requests use: opening resources, and the exclusions that a client must respect. */
export interface ServedSource {
  /**
   * Opens a resource as it is now, for one response.
   * @throws TidemarkError `not-found` when the source has no such resource (any more), or leaves it out; `unavailable`
   *   when it cannot be read
   */
  open(resource: LiveResource, wanted: WantedBytes): Promise<OpenedResource>;

  /**
   * The forms in which resources can be read; the first of a resource is the one that its state describes. Absent when
   * it is the only one.
   */
  readonly representations?: readonly Representation[];

  /**
   * Returns the current exclusions of the source, when others may post to its set: a function that accepts any path.
   * @throws TidemarkError `unavailable` when they cannot be read
   */
  leavesOut?(): Promise<LeavesOut>;
}

/** Whether a file, or a folder above it, is left out. */
export type LeavesOut = (path: string) => boolean;

/** A resource of the store that was not deleted. */
export interface LiveResource {
  readonly key: ResourceKey;
  readonly state: ResourceState;
}

/** A form in which a resource can be read. */
export interface Representation {
  /** It is one of resources whose states have this media type; absent: of all. */
  readonly of?: string;
  readonly mime: string;
  /** Further media types in an `Accept` header that select this form. */
  readonly alsoAsked?: readonly string[];
  /** Suffix that, appended to the key of the resource, makes the key of this form. */
  readonly suffix: string;
}

export interface WantedBytes {
  readonly method: 'GET' | 'HEAD';
  /** Whether the client will probably read all bytes: a source may then request them together with their metadata. */
  readonly isWhole: boolean;
  /** One of the source's representations; without one, the first. */
  readonly representation?: Representation | undefined;
}

/** The bytes, or a redirect to the server that sends them. */
export type OpenedResource = OpenedBytes | RedirectedResource;

/** The bytes of one version of a resource. The caller closes it, unless it reads the bytes. */
export interface OpenedBytes {
  /** Length of the whole resource in bytes. */
  readonly length: number;
  readonly mime: string | undefined;
  /** Differs for different versions of the bytes; the opaque part of an ETag. */
  readonly tag: string;
  readonly lastModified: Seconds | undefined;
  /** Whether `lastModified` differs for any two versions. */
  readonly dateTellsVersions: boolean;
  /**
   * Reads one non-empty range, once. A stream or open file that it returns closes what was opened, and fails before its
   * last bytes when the version has changed meanwhile: so no client mistakes a mixture for one version.
   * @throws TidemarkError `unavailable` when the source does not have the bytes that the state describes
   */
  read(range: ServedRange): Promise<ServedBytes>;
  close(): Promise<void>;
}

/** All bytes in memory, or a stream or open file to read them from. */
export type ServedBytes = Buffer | Readable | FileBytes;

/** An open file, whose bytes are read into memory of the caller. */
export interface FileBytes {
  /**
   * Reads the next bytes. Returns how many; 0 after the last.
   * @throws TidemarkError `conflict` before the last bytes, when the file was changed since it was opened
   */
  read(into: Buffer): Promise<number>;
  /** The remaining bytes, for a caller without a buffer of its own. The stream closes the file. */
  stream(): Readable;
  close(): Promise<void>;
}

export interface ServedRange {
  readonly start: number;
  /** Bytes. */
  readonly length: number;
}

/**
 * A redirect to the server that sends the bytes. The URL gives access to the resource: other clients must not get it.
 */
interface RedirectedResource {
  readonly redirect: string;
}
