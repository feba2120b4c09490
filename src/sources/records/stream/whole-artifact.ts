import type { ObjectKey } from '../../../artifacts/artifact-store.ts';
import type { ResourceState } from '../../../core/resource.ts';

interface StoredFile {
  readonly artifact: ObjectKey;
  /** Bytes. */
  readonly length: number;
  readonly sha256: string;
  readonly mime: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/**
 * The state of a file that is a whole artifact. Its place covers the whole artifact, so that its bytes can be read
 * without further lookups.
 */
export function wholeArtifact({ artifact, length, sha256, mime, at }: StoredFile): ResourceState {
  return {
    lastmod: Math.floor(at / 1000),
    length,
    hashes: { 'sha-256': sha256 },
    mime,
    record: { artifact, offset: 0, length, position: 0 },
  };
}
