import type { KeyRange, ResourceKey } from '../../core/key.ts';

/** What a scan remembers of a file, to avoid hashing it again. */
export interface RememberedFile {
  readonly key: ResourceKey;
  /** Bytes. */
  readonly length: number;
  /** Nanoseconds since 1970. */
  readonly mtime: bigint;
  /** As in `FileEntry`. */
  readonly tag?: string | undefined;
  /** Time of the scan, nanoseconds since 1970. */
  readonly scanned: bigint;
  /** Whether the artifact store has these bytes as a version. */
  readonly isKept?: boolean;
}

/** What scans of one root remember. Losing it costs only time. */
export interface FileMemory {
  /** The remembered files, ascending by key, in batches. No cursor stays open between batches. */
  read(range: KeyRange): Iterable<readonly RememberedFile[]>;

  /** Remembers and forgets files in one transaction. */
  update(changes: { readonly remember: readonly RememberedFile[]; readonly forget: readonly ResourceKey[] }): void;
}
