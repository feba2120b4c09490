import { formatKey } from '../../artifacts/artifact-key.ts';
import type { ArtifactStore, ObjectKey, ObjectRange, OpenObject } from '../../artifacts/artifact-store.ts';
import { isTidemarkError } from '../../core/errors.ts';
import type { ResourceState } from '../../core/resource.ts';
import type { SetId } from '../../core/resource-set.ts';

/** A whole object of the artifact store, or a part of one. */
export interface StoredBytes {
  readonly key: ObjectKey;
  readonly range?: ObjectRange | undefined;
}

/**
 * Where the bytes of a version of a file may be stored, the likelier place first: in a pack, and alone. Removing old
 * versions takes those that stay out of a pack. Empty when the state has no SHA-256.
 */
export function placesOf(set: SetId, { hashes, length, kept }: ResourceState): readonly StoredBytes[] {
  const digest = hashes?.['sha-256'];
  if (digest === undefined) return [];
  const alone = { key: formatKey({ kind: 'version', set, digest }) };
  if (kept === undefined || length === undefined) return [alone];
  const key = formatKey({ kind: 'version-pack', set, name: kept.pack });
  return [{ key, range: { start: kept.offset, length } }, alone];
}

/**
 * Opens a version, or a part of it, where it is.
 * @throws TidemarkError `not-found` when it is in none of the places
 */
export async function openStored(
  artifacts: Pick<ArtifactStore, 'get'>,
  places: readonly StoredBytes[],
  part?: ObjectRange,
): Promise<OpenObject> {
  for (const [at, { key, range }] of places.entries()) {
    try {
      const { length, body } = await artifacts.get(key, { range: partOf(range, part) });
      return { length: range?.length ?? length, body };
    } catch (error) {
      // `invalid`: the pack is damaged, and ends before.
      const isMissing = isTidemarkError(error, 'not-found') || isTidemarkError(error, 'invalid');
      if (!isMissing || at === places.length - 1) throw error;
    }
  }
  throw new Error('a version without SHA-256 is stored nowhere');
}

function partOf(whole: ObjectRange | undefined, part: ObjectRange | undefined): ObjectRange | undefined {
  if (whole === undefined || part === undefined) return whole ?? part;
  return { start: whole.start + part.start, length: Math.min(part.length, whole.length - part.start) };
}
