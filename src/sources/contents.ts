import type { Readable } from 'node:stream';
import type { ResourceKey } from '../core/key.ts';
import type { Resource } from '../core/resource.ts';

/** Reads the bytes of all resources of a set for dumps, one resource after the other. */
export interface Contents {
  /**
   * Undefined when the resource no longer exists.
   * @throws TidemarkError `unavailable` when it cannot be read
   */
  open(resource: Resource): Promise<Content | undefined>;
  /**
   * Same as `ContentRoot.beginReads`, for resources.
   * @throws TidemarkError `unavailable` when the exclusions cannot be read
   */
  beginReads?(): Promise<(key: ResourceKey, buffer: Uint8Array) => boolean>;
  /** @throws TidemarkError `unavailable` when all contents are missing: a disk that is not mounted, for instance */
  requireThere(): Promise<void>;
  close(): Promise<void>;
}

/** An open resource. */
export interface Content {
  readonly length: number;
  /** All bytes, when they were read already. */
  readonly bytes?: Uint8Array | undefined;
  /**
   * The bytes. The stream fails with `conflict` when the resource was changed since it was opened. Its end closes the
   * resource.
   */
  stream(): Readable;
  close(): Promise<void>;
}
