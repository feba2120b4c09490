import { realpath } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { App } from '../app.ts';
import { nameOfRoot } from '../config/given-root.ts';
import { type SetValues, toSetFields } from '../config/set/set-settings.ts';
import { isTidemarkError, TidemarkError } from '../core/errors.ts';
import { type Origin, traitsOf } from '../core/origin.ts';
import { parseSlug, type ResourceSet, slugify } from '../core/resource-set.ts';
import { quoted } from './program-name.ts';

interface FolderToPublish {
  readonly origin: Origin;
  /** The requested set id. */
  readonly id?: string | undefined;
  /** The settings that were given. */
  readonly values: SetValues;
  /** Exclusions of Tidemark's own files. */
  readonly ownFiles: readonly string[];
}

/**
 * The origin of the set that publishes a folder. Its path is that of a link to the folder if the folder was moved. The
 * given origin when there is no such set.
 */
export async function publishedOrigin({ sets }: Pick<App, 'sets'>, origin: Origin): Promise<Origin> {
  if (origin.kind !== 'folder') return origin;
  const known = (await sets.list()).flatMap((set) => (set.origin.kind === 'folder' ? [set.origin] : []));
  if (known.some(({ path }) => path === origin.path)) return origin;
  const real = await Promise.all(known.map(({ path }) => realpath(path).catch(() => undefined)));
  return known[real.indexOf(origin.path)] ?? origin;
}

export async function publishedSet({ sets }: Pick<App, 'sets'>, origin: Origin): Promise<ResourceSet | undefined> {
  return (await sets.list()).find((set) => isDeepStrictEqual(set.origin, origin));
}

/**
 * Finds the set of a folder and applies the given settings, or makes the set.
 * @throws TidemarkError `conflict` when another set has the id, or the set of this folder has another id
 */
export async function setOfFolder({ sets }: Pick<App, 'sets'>, folder: FolderToPublish): Promise<ResourceSet> {
  const { origin, id, values, ownFiles } = folder;
  const found = await publishedSet({ sets }, origin);
  if (found !== undefined) return foundAgain({ sets }, found, folder);
  const slug = id === undefined ? slugify(nameOfRoot(origin)) : parseSlug(id);
  try {
    return await sets.add({
      ...toSetFields(values, origin),
      slug,
      origin,
      exclude: [...(values.exclude ?? []), ...ownFiles],
    });
  } catch (error) {
    if (!isTidemarkError(error, 'conflict')) throw error;
    throw new TidemarkError('conflict', `${error.message} with --id`, error.details);
  }
}

async function foundAgain(
  { sets }: Pick<App, 'sets'>,
  set: ResourceSet,
  { id, values, ownFiles, origin }: FolderToPublish,
): Promise<ResourceSet> {
  const { slug } = set;
  if (id !== undefined && id !== slug) {
    throw new TidemarkError(
      'conflict',
      `${traitsOf(origin).root} was published with --id ${slug}, which stays: leave --id out, or publish into another data folder with --data`,
      { option: '--id', before: slug },
    );
  }
  const given = values.exclude ?? (values.exclude === null ? [] : set.exclude);
  const exclude = [...given, ...ownFiles.filter((pattern) => !given.includes(pattern))];
  const fields = { ...toSetFields(values, set.origin), exclude };
  const isSame = Object.entries(fields).every(([field, value]) =>
    isDeepStrictEqual(value, set[field as keyof ResourceSet]),
  );
  return isSame ? set : sets.change(slug, fields);
}

/**
 * `publish` is meant for one folder; a second folder is probably a mistake.
 * @throws TidemarkError `conflict` when another folder is published from this data folder, and this one is not
 */
export async function refuseOtherFolder(
  { sets }: Pick<App, 'sets'>,
  { origin, dataFolder }: { readonly origin: Origin; readonly dataFolder: string },
): Promise<void> {
  const { root = '' } = traitsOf(origin);
  const roots = (await sets.list()).flatMap(({ origin }) => traitsOf(origin).root ?? []);
  const [published] = roots;
  if (published === undefined || roots.includes(root)) return;
  throw new TidemarkError(
    'conflict',
    `the data folder ${dataFolder} has the history of another folder already, ${published}.\n` +
      `To publish ${root} by itself, give it a data folder (and a port) of its own: --data FOLDER --port NUMBER\n` +
      `To publish both together, add it: tidemark sets add ID --root ${quoted(root)}\n` +
      'A server that is running publishes it at once; without one, tidemark serve publishes both.',
    { published, folder: root, dataFolder },
  );
}
