import type { StoredCopy } from '../../archiving.ts';
import type { PlatformFile } from '../../manifest.ts';
import { compareWithManifest } from '../../strategies/compare-with-manifest.ts';

/** Whether a copy is what its platform states: equal, with each hash that is stated known. */
export function isAsStated(file: PlatformFile, copy: Pick<StoredCopy, 'size' | 'hashes' | 'otherHashes'>): boolean {
  const { md5, 'sha-1': sha1, 'sha-256': sha256 } = copy.hashes;
  const known = new Map(Object.entries({ md5, sha1, sha256, ...copy.otherHashes }));
  const areKnown = file.hashes.every(({ algorithm }) => known.get(algorithm) !== undefined);
  return areKnown && compareWithManifest(file, copy, false).status === 'success';
}
