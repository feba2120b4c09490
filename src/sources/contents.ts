import type { Readable } from 'node:stream';
import type { ArtifactLocation } from '../artifacts/open-artifacts.ts';
import type { ResourceKey } from '../core/key.ts';
import type { Resource } from '../core/resource.ts';
import type { RootLocation } from './root-location.ts';

/** What dumps need of a source: the bytes of all resources of a set, read one after the other. */
export interface Contents {
  /**
   * Undefined when there is no such resource any more.
   * @throws TidemarkError `unavailable` when it cannot be read
   */
  open(resource: Resource): Promise<Content | undefined>;
  /**
   * As `ContentRoot.beginReads`, for resources.
   * @throws TidemarkError `unavailable` when it cannot be known what is left out
   */
  beginReads?(): Promise<(key: ResourceKey, buffer: Uint8Array) => boolean>;
  /** @throws TidemarkError `unavailable` when all of it is missing: a disk that is not mounted, for instance */
  requireThere(): Promise<void>;
  close(): Promise<void>;
}

/** An open resource. */
export interface Content {
  readonly length: number;
  /** All of them, when they were read already. */
  readonly bytes?: Uint8Array | undefined;
  /** It fails with `conflict` when the resource was changed since it was opened. The end of the stream closes it. */
  stream(): Readable;
  close(): Promise<void>;
}

/** Where the bytes of a set are; plain values, for threads. */
export type ContentsLocation =
  | { readonly kind: 'files'; readonly root: RootLocation }
  | { readonly kind: 'records'; readonly artifacts: ArtifactLocation };
