/** A file as it was sent: on a disk, or in an artifact. */
export interface GivenFile {
  /** For messages only. */
  readonly name: string;
  /** All bytes, from the first. Called for each pass over the file: see records/forms/in-order.ts. */
  read(): AsyncIterable<Uint8Array>;
  /** Reads parts of the file, where that is possible. Without it, a ZIP is copied to a scratch file first. */
  readonly ranges?: ByteRanges | undefined;
}

export interface ByteRanges {
  /** Length of the whole file in bytes. */
  readonly length: number;
  /** Reads `length` bytes from a position on. */
  read(start: number, length: number): AsyncIterable<Uint8Array>;
}

export const PACKINGS = ['gzip', 'tar', 'zip'] as const;
export type Packing = (typeof PACKINGS)[number];

/** What a file is. */
export interface Identity {
  /** As the caller of `findFiles` names it, or `unknown`. */
  readonly kind: string;
  /** Why its kind is unknown, with advice: a sentence without a full stop. */
  readonly reason?: string | undefined;
}

/** A file that is not a package, alone or found in packages. */
export interface FoundFile extends Identity {
  /**
   * The name of the given file; in packages, followed by the name of each inner package and of the file. Names in
   * packages are cleaned: see clean-name.ts.
   */
  readonly path: readonly string[];
  /** How the file is packed, from the outside to the inside. */
  readonly packing: readonly Packing[];
  /**
   * Can be read at most once, before the next file is requested. Throws DamagedFile where a package around it is
   * damaged; the bytes before that are correct.
   */
  readonly bytes: AsyncIterable<Buffer>;
}

/** A package is damaged, or would unpack to too many bytes. The message contains how, and where. */
export class DamagedFile extends Error {}
