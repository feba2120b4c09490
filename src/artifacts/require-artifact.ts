import { TidemarkError } from '../core/errors.ts';
import type { ArtifactStore, ObjectKey } from './artifact-store.ts';
import { type FoundArtifact, findArtifact } from './find-artifacts.ts';
import { requireKey } from './keys/avro-key.ts';

/**
 * @throws TidemarkError `not-found` when the artifact does not exist, or is incomplete; `invalid` for a text that is
 * not a key of an Avro file
 */
export async function requireArtifact(store: ArtifactStore, text: string): Promise<FoundArtifact> {
  const { key } = requireKey(text);
  const found = await findArtifact(store, key);
  if (found !== undefined) return found;
  const why = await whyNone(store, key);
  throw new TidemarkError('not-found', `there is no ${key} in the artifact store ${store.name}${why}`, { key });
}

async function whyNone(store: ArtifactStore, key: ObjectKey): Promise<string> {
  const isTorn = (await store.head(key)) !== undefined;
  return isTorn
    ? ': it has no -prov.json beside it, so the run that wrote it is not over, or did not come to its end'
    : '';
}
