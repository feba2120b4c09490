import { type ArtifactKey, formatKey, mediaTypeOf } from './artifact-key.ts';
import type { ArtifactBody, ArtifactStore, PutOptions, StoredObject } from './artifact-store.ts';

/**
 * Stores an artifact under its key, with its media type.
 * @throws TidemarkError as `ArtifactStore.put`
 */
export function putArtifact(
  store: Pick<ArtifactStore, 'put'>,
  key: ArtifactKey,
  body: ArtifactBody,
  options: Pick<PutOptions, 'signal' | 'hashes' | 'restores' | 'sparesMemory'> = {},
): Promise<StoredObject> {
  return store.put(formatKey(key), body, { contentType: mediaTypeOf(key), ...options });
}
