/** Limits of a validation, so that no source can keep it busy for ever or fill its memory. */
export interface ReadLimits {
  /** Bytes of one document, uncompressed. */
  readonly documentBytes: number;
  /** Bytes of one resource, or of one package of a dump. */
  readonly resourceBytes: number;
  /** Number of documents of the whole validation. */
  readonly documents: number;
  /** Milliseconds that a server may send nothing. */
  readonly idleMs: number;
  /** Milliseconds for one response. */
  readonly responseMs: number;
  /** Milliseconds for the whole validation. */
  readonly totalMs: number;
}

const MB = 1024 * 1024;

/** For the command line: a document may have many millions of entries. */
export const COMMAND_LIMITS: ReadLimits = {
  documentBytes: 4096 * MB,
  resourceBytes: 2048 * MB,
  documents: 200_000,
  idleMs: 30_000,
  responseMs: 30 * 60_000,
  totalMs: 24 * 60 * 60_000,
};

/** For the web page: several users may wait, and the addresses come from outside. */
export const PAGE_LIMITS: ReadLimits = {
  documentBytes: 64 * MB,
  resourceBytes: 16 * MB,
  documents: 200,
  idleMs: 10_000,
  responseMs: 20_000,
  totalMs: 60_000,
};
