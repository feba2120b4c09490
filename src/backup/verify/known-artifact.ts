import type { ObjectKey, ObjectRange } from '../../artifacts/artifact-store.ts';

/** A stored artifact, and what its bytes can be compared with. */
export interface KnownArtifact {
  readonly key: ObjectKey;
  /** The part of it that has the SHA-256; the whole artifact by default. */
  readonly range?: ObjectRange;
  /**
   * - a SHA-256, from the catalog or from the key
   * - `pack`: each version in it has its SHA-256 as its name
   * - `segment`: it lists the SHA-256 of its files
   * - `summary`: the summary beside it has its SHA-256
   * - `checksum`: the one that gzip writes
   * - `json`: none, but it must be JSON
   * - `nothing`: an earlier version recorded no digest
   */
  readonly expected: { readonly sha256: string } | 'pack' | 'segment' | 'summary' | 'checksum' | 'json' | 'nothing';
  /** What it is, for people. */
  readonly what: string;
  /** What a person can do when it is damaged. */
  readonly remedy: string;
}
