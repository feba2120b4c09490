import { formatKey } from '../../artifacts/artifact-key.ts';
import type { ArtifactStore, ListedObject } from '../../artifacts/artifact-store.ts';
import { readPack, type VersionInPack } from '../../artifacts/version-pack.ts';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import type { SetId } from '../../core/resource-set.ts';
import { hashesOf } from '../../core/running-hashes.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { UsedDigests } from './used-digests.ts';

interface PackParts {
  readonly artifacts: Pick<ArtifactStore, 'readSmall' | 'putAll' | 'delete'>;
  readonly set: SetId;
  readonly used: Pick<UsedDigests, 'has'>;
  /** Only reports what would be removed. */
  readonly dryRun: boolean;
}

/**
 * Removes a pack when some of its versions are not needed any more, and returns these. The others are stored alone
 * before, so each version is copied once at most.
 * @throws TidemarkError `invalid` when it is not a pack, or a needed version in it is damaged: it stays as it is
 */
export async function prunePack(pack: ListedObject, parts: PackParts): Promise<readonly VersionInPack[]> {
  const { artifacts, used, dryRun } = parts;
  const versions = await readPack(artifacts, pack).catch((error: unknown) => {
    // Another process has just removed it.
    if (isTidemarkError(error, 'not-found')) return [];
    throw error;
  });
  const kept = versions.filter(({ digest }) => used.has(digest));
  const removed = versions.filter(({ digest }) => !used.has(digest));
  if (removed.length === 0 || dryRun) return removed;
  if (kept.length > 0) await storeAlone(kept, pack, parts);
  failpoint('prune.moved');
  await artifacts.delete(pack.key);
  failpoint('prune.removed');
  return removed;
}

async function storeAlone(
  versions: readonly VersionInPack[],
  { key, length }: ListedObject,
  { artifacts, set }: PackParts,
): Promise<void> {
  const pack = await artifacts.readSmall(key, { start: 0, length });
  const objects = versions.map(({ digest, offset, length }) => {
    const bytes = pack.subarray(offset, offset + length);
    if (hashesOf(bytes, ['sha-256'])['sha-256'] !== digest) {
      throw new TidemarkError('invalid', `${key} is damaged: it has other bytes of the version ${digest}`, { key });
    }
    return { key: formatKey({ kind: 'version', set, digest }), bytes };
  });
  await artifacts.putAll(objects, { contentType: 'application/octet-stream' });
}
