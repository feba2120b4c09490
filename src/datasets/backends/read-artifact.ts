import type { ArtifactStore, ObjectKey, ObjectRange } from '../../artifacts/artifact-store.ts';

/** The bytes of a range of an artifact; none of an empty range. @throws TidemarkError as `ArtifactStore.get` */
export async function* readArtifact(
  artifacts: Pick<ArtifactStore, 'get'>,
  key: ObjectKey,
  range: ObjectRange,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (range.length === 0) return;
  const { body } = await artifacts.get(key, { range });
  try {
    yield* body;
  } finally {
    body.destroy();
  }
}
