import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { traitsOf } from '../core/origin.ts';
import type { ResourceSet, SetId } from '../core/resource-set.ts';
import { isGone } from '../lib/system-error.ts';

const FOLDER = 'copies';

/**
 * The folder of the copy that a set publishes: below the data folder, owned by the set. The name contains a digest,
 * because another store with the same data folder may have a set with this id.
 * @param source the URI of the set that is copied
 */
export function copyFolder(dataFolder: string, id: SetId, source: string): string {
  const digest = createHash('sha256').update(source).digest('hex').slice(0, 12);
  return join(dataFolder, FOLDER, `${id}-${digest}`);
}

/** The sets as they were when the last promise of a call resolved. */
interface KnownSets {
  list(): Promise<unknown>;
  knownRemoved(): readonly SetId[];
  byId(id: SetId): Promise<ResourceSet | undefined>;
}

/** Removes the copies of sets that were removed. Returns how many. */
export async function removeCopies(dataFolder: string, sets: KnownSets): Promise<number> {
  const folders = (await namesIn(join(dataFolder, FOLDER))).map((name) => join(dataFolder, FOLDER, name));
  if (folders.length === 0) return 0;
  await sets.list();
  const ids = new Set(sets.knownRemoved().map(String));
  let count = 0;
  for (const folder of folders) {
    const [id = ''] = basename(folder).split('-');
    const set = ids.has(id) ? await sets.byId(Number(id)) : undefined;
    const from = set && traitsOf(set.origin).from;
    // Otherwise it belongs to a set of another store.
    if (from === undefined || folder !== copyFolder(dataFolder, set!.id, from.set)) continue;
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    count += 1;
  }
  return count;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}
