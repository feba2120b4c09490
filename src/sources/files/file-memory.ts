import type { KeyRange, ResourceKey } from '../../core/key.ts';

/** What a scan remembers of a file, so that it need not hash it again. */
export interface RememberedFile {
  readonly key: ResourceKey;
  /** Bytes. */
  readonly length: number;
  /** Nanoseconds since 1970. */
  readonly mtime: bigint;
  /** As in `FileEntry`. */
  readonly tag?: string | undefined;
  /** When these were seen, nanoseconds since 1970. */
  readonly scanned: bigint;
  /** The artifact store has these bytes as a version. */
  readonly isKept?: boolean;
}

/** What scans of one root remember. Losing any of it costs time and nothing else. */
export interface FileMemory {
  /** What is remembered, ascending by key, as batches; no cursor stays open between them. */
  read(range: KeyRange): Iterable<readonly RememberedFile[]>;

  /** Remembers and forgets, all of it or none. */
  update(changes: { readonly remember: readonly RememberedFile[]; readonly forget: readonly ResourceKey[] }): void;
}
