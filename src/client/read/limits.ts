/** What a validation reads at most, so that no source can keep it busy for ever or fill its memory. */
export interface ReadLimits {
  /** Of one document, unpacked. */
  readonly documentBytes: number;
  /** Of one resource, and of one package of a dump. */
  readonly resourceBytes: number;
  /** Of the whole validation. */
  readonly documents: number;
  /** How long a server may send nothing. */
  readonly idleMs: number;
  /** How long one response may take. */
  readonly responseMs: number;
  /** How long the whole validation may take. */
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

/** For the page, where several people may wait, and addresses come from outside. */
export const PAGE_LIMITS: ReadLimits = {
  documentBytes: 64 * MB,
  resourceBytes: 16 * MB,
  documents: 200,
  idleMs: 10_000,
  responseMs: 20_000,
  totalMs: 60_000,
};
