import type { Readable } from 'node:stream';
import type { Stamp } from '../core/stamp.ts';

export const ENCODINGS = ['identity', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** A document that is rendered once and served many times. */
export interface PublishedDocument {
  /** Digest of its uncompressed bytes; the opaque part of an ETag. */
  readonly digest: string;
  /** The newest stamp that it contains, used for Last-Modified. */
  readonly newest: Stamp;
  /** Time when it was rendered, milliseconds since 1970. */
  readonly rendered: number;
  /** Whether the document never changes again, and may be cached for ever. */
  readonly immutable: boolean;
  /** The boundary at which the next document continues, when this one had no room for all requested changes. */
  readonly next?: Stamp | undefined;
  /** Bytes of each encoding. */
  readonly lengths: Readonly<Record<Encoding, number>>;
  /** The bytes in an encoding. */
  open(encoding: Encoding): Promise<Readable | Buffer>;
}
