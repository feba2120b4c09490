import { formatKey } from '../../artifacts/artifact-key.ts';
import type { ArtifactStore, ObjectKey, ObjectRange, OpenObject } from '../../artifacts/artifact-store.ts';
import { isDamaged } from '../../artifacts/damage.ts';
import { openCompared } from '../../artifacts/open-compared.ts';
import { isTidemarkError } from '../../core/errors.ts';
import type { ResourceState } from '../../core/resource.ts';
import type { SetId } from '../../core/resource-set.ts';

/** A whole object of the artifact store, or a part of one. */
export interface StoredBytes {
  readonly key: ObjectKey;
  readonly range?: ObjectRange | undefined;
  /** Undefined when the state has no length. */
  readonly digested?: { readonly length: number; readonly sha256: string } | undefined;
}

/**
 * Where the bytes of a version of a file may be stored, the likelier place first: in a pack, and alone. Removing old
 * versions takes those that stay out of a pack. Empty when the state has no SHA-256.
 */
export function placesOf(set: SetId, { hashes, length, kept }: ResourceState): readonly StoredBytes[] {
  const digest = hashes?.['sha-256'];
  if (digest === undefined) return [];
  const digested = length === undefined ? undefined : { length, sha256: digest };
  const alone = { key: formatKey({ kind: 'version', set, digest }), digested };
  if (kept === undefined || length === undefined) return [alone];
  const key = formatKey({ kind: 'version-pack', set, name: kept.pack });
  return [{ key, range: { start: kept.offset, length }, digested }, alone];
}

/**
 * Opens a version, or a part of it, where it is. A small one is compared with its digest.
 * @throws TidemarkError `not-found` when it is in none of the places; `unavailable` when it is damaged there
 */
export async function openStored(
  artifacts: Pick<ArtifactStore, 'get'>,
  places: readonly StoredBytes[],
  part?: ObjectRange,
): Promise<OpenObject> {
  let damaged: unknown;
  for (const [at, { key, range, digested }] of places.entries()) {
    try {
      if (digested === undefined) return await artifacts.get(key, { range: part });
      return await openCompared(artifacts, { key, within: range, ...digested }, part);
    } catch (error) {
      // `invalid`: the pack is damaged, and ends before.
      const isMissing = isTidemarkError(error, 'not-found') || isTidemarkError(error, 'invalid');
      if (isDamaged(error)) damaged = error;
      else if (!isMissing) throw error;
      if (at === places.length - 1) throw damaged ?? error;
    }
  }
  throw new Error('a version without SHA-256 is stored nowhere');
}
