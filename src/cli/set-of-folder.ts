import { isDeepStrictEqual } from 'node:util';
import type { App } from '../app.ts';
import { isTidemarkError, TidemarkError } from '../domain/errors.ts';
import { parseSlug, type ResourceSet, slugify } from '../domain/resource-set.ts';
import { nameOfRoot } from './given-root.ts';
import type { NewSetOptions } from './new-set-options.ts';

export interface FolderToPublish extends NewSetOptions {
  /** Its real path, or its location on S3. */
  readonly root: string;
  /** The set id that was asked for. */
  readonly id?: string | undefined;
  /** What keeps this program's own files out. */
  readonly ownFiles: readonly string[];
}

/**
 * The set of a folder: found again, or made.
 * @throws TidemarkError `conflict` when its id is taken, or the set was made with other settings
 */
export async function setOfFolder({ sets }: Pick<App, 'sets'>, folder: FolderToPublish): Promise<ResourceSet> {
  const found = (await sets.list()).find(({ root }) => root === folder.root);
  if (found !== undefined) return foundAgain({ sets }, found, folder);
  const slug = folder.id === undefined ? slugify(nameOfRoot(folder.root)) : parseSlug(folder.id);
  try {
    return await sets.add({
      slug,
      root: folder.root,
      exclude: [...(folder.exclude ?? []), ...folder.ownFiles],
      pageEntries: folder.pageSize,
      windowChanges: folder.windowSize,
    });
  } catch (error) {
    if (!isTidemarkError(error, 'conflict')) throw error;
    throw new TidemarkError('conflict', `${error.message} with --id`, error.details);
  }
}

async function foundAgain(
  { sets }: Pick<App, 'sets'>,
  set: ResourceSet,
  { id, exclude, pageSize, windowSize, ownFiles, root }: FolderToPublish,
): Promise<ResourceSet> {
  const before = [
    ['--id', id, set.slug],
    ['--page-size', pageSize, set.pageEntries],
    ['--window-size', windowSize, set.windowChanges],
  ] as const;
  for (const [option, wanted, kept] of before) {
    if (wanted === undefined || wanted === kept) continue;
    throw new TidemarkError(
      'conflict',
      `${root} was published with ${option} ${kept}, which stays: leave ${option} out, or publish into another data folder with --data`,
      { option, before: kept },
    );
  }
  const missing = ownFiles.filter((pattern) => !set.exclude.includes(pattern));
  const wanted = exclude === undefined ? [...set.exclude, ...missing] : [...exclude, ...ownFiles];
  return isDeepStrictEqual(wanted, set.exclude) ? set : sets.setExclude(set.slug, wanted);
}

/**
 * `publish` is for one folder; a second one is more likely a mistake than meant to join it.
 * @throws TidemarkError `conflict` when another folder is published from this data folder, and this one is not
 */
export async function refuseOtherFolder(
  { sets }: Pick<App, 'sets'>,
  { root, dataFolder }: { readonly root: string; readonly dataFolder: string },
): Promise<void> {
  const roots = (await sets.list()).flatMap((set) => set.root ?? []);
  const [published] = roots;
  if (published === undefined || roots.includes(root)) return;
  throw new TidemarkError(
    'conflict',
    `the data folder ${dataFolder} belongs to another folder, ${published}.\n` +
      `To publish ${root} by itself, give it a data folder (and a port) of its own: --data FOLDER --port NUMBER\n` +
      `To publish both together, add it: tidemark sets add ID --root ${root}, then tidemark serve`,
    { published, folder: root, dataFolder },
  );
}
