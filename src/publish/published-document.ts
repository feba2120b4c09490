import type { Readable } from 'node:stream';
import type { Stamp } from '../core/stamp.ts';

export const ENCODINGS = ['identity', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** A document that was rendered once and is served many times. */
export interface PublishedDocument {
  /** The digest of its uncompressed bytes, the opaque part of an ETag. */
  readonly digest: string;
  /** The newest stamp that it contains; what Last-Modified is made from. */
  readonly newest: Stamp;
  /** When it was rendered, milliseconds since 1970. */
  readonly rendered: number;
  /** A closed document never changes and may be cached for ever. */
  readonly immutable: boolean;
  /**
   * The boundary at which the next document goes on, when this one had no room for all changes that a client asked for.
   */
  readonly next?: Stamp | undefined;
  /** Bytes of each encoding. */
  readonly lengths: Readonly<Record<Encoding, number>>;
  /** The bytes in an encoding. */
  open(encoding: Encoding): Promise<Readable | Buffer>;
}
