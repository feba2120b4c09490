import type { Cursor } from '../lists/take-changes.ts';

/** What the state stores about the source and the copy as a whole. */
export interface Facts {
  /** The URL that the user gave, without a login. */
  readonly url: string;
  /** The URI of the Capability List, or of the list itself. */
  readonly set: string;
  /** For a copy in a bucket: where the files are, and the id of the copy in the bucket's claim. */
  readonly bucket: { readonly name: string; readonly id: string };
  /** The common prefix of all URIs when the copy was created: see `commonPrefix`. */
  readonly prefix: string;
  /**
   * Whether the paths of the copy are different where their bytes are: see `MirrorTarget.keepsNames`. Undefined for a
   * copy of an earlier version, where they are not, until it is opened.
   */
  readonly keepsNames: boolean;
  /** The parts of the `Cursor`. */
  readonly cursor: number;
  readonly seen: readonly string[];
  readonly changesBefore: NonNullable<Cursor['before']>;
  /** Whether the source answers `changelist.xml?from=`. */
  readonly hasRanges: boolean;
  /**
   * The URL of the Change List that was read last, and its ETag or Last-Modified. Earlier versions kept that of an
   * index, too, as `changesRead`, with which they missed changes.
   */
  readonly changeListRead: { readonly uri: string; readonly validator: string };
  /** The Resource List of the last comparison, and when that was, in milliseconds since 1970. */
  readonly listRead: { readonly uri: string; readonly at: number | undefined; readonly time: number };
  /** True once links are recorded. Earlier versions recorded `via` alone. */
  readonly hasLinks: true;
  /** When the last pass ended, in milliseconds since 1970, and the error that stopped it. */
  readonly lastPass: { readonly time: number; readonly failure: string | undefined };
}
