import type { HashAlgorithm } from '../domain/hash.ts';

export interface RootLocation {
  /** A folder's absolute path. */
  readonly root: string;
  /** Patterns of what is left out, as lines of a `.tidemarkignore`. */
  readonly exclude: readonly string[];
  /** What is computed of each file besides sha-256. */
  readonly hashes?: readonly HashAlgorithm[];
}
