import type { ArtifactStore, ListedObject } from './artifact-store.ts';

/** Removes the objects of a folder for which `isRemoved` returns true. Returns their number. */
export async function removeWhere(
  artifacts: Pick<ArtifactStore, 'list' | 'delete'>,
  folder: string,
  isRemoved: (found: ListedObject) => boolean,
): Promise<number> {
  let removed = 0;
  for await (const objects of artifacts.list(folder)) {
    for (const { key } of objects.filter(isRemoved)) {
      await artifacts.delete(key);
      removed += 1;
    }
  }
  return removed;
}
