/** A file as it was sent: on a disk, or an artifact. */
export interface GivenFile {
  /** For people; nothing follows from it. */
  readonly name: string;
  /** All its bytes, from the first. Called for each pass over the file: see in-order.ts. */
  read(): AsyncIterable<Uint8Array>;
  /** Where a part of it can be read alone. Without it, a ZIP is copied to a scratch file first. */
  readonly ranges?: ByteRanges | undefined;
}

export interface ByteRanges {
  /** Of the whole file, in bytes. */
  readonly length: number;
  /** So many bytes from a place on. */
  read(start: number, length: number): AsyncIterable<Uint8Array>;
}

export const PACKINGS = ['gzip', 'tar', 'zip'] as const;
export type Packing = (typeof PACKINGS)[number];

export const FILE_KINDS = ['marc21', 'marcxml', 'deleted-ids', 'unknown'] as const;
export type FileKind = (typeof FILE_KINDS)[number];

/** A file that is no package, as it was found: alone, or in packages. */
export interface FoundFile {
  /**
   * The name of the given file; then, in packages, the name of each package within it and of the file. Names in
   * packages are cleaned: see clean-name.ts.
   */
  readonly path: readonly string[];
  /** How it is packed, from the outside to the inside. */
  readonly packing: readonly Packing[];
  readonly kind: FileKind;
  /** Why its kind is unknown, and what to do: a sentence without a full stop. */
  readonly reason?: string | undefined;
  /**
   * Read them once at most, before the next file is asked for. They throw DamagedFile where a package that they are in
   * is damaged; what came before is right.
   */
  readonly bytes: AsyncIterable<Buffer>;
}

/** A package is damaged, or it would unpack to too much. Its message says how, and where. */
export class DamagedFile extends Error {}
