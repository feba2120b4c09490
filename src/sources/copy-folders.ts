import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { traitsOf } from '../core/origin.ts';
import type { ResourceSet, SetId } from '../core/resource-set.ts';
import { isGone } from '../lib/system-error.ts';

const FOLDER = 'copies';

/**
 * Where the copy is that a set publishes: below the data folder, owned by the set. Another store may use the same data
 * folder, and have another set of this id.
 * @param source the URI of the set that is copied
 */
export function copyFolder(dataFolder: string, id: SetId, source: string): string {
  const digest = createHash('sha256').update(source).digest('hex').slice(0, 12);
  return join(dataFolder, FOLDER, `${id}-${digest}`);
}

/** As of the last call that returns a promise. */
interface KnownSets {
  list(): Promise<unknown>;
  knownRemoved(): readonly SetId[];
  byId(id: SetId): Promise<ResourceSet | undefined>;
}

/** Removes the copies of sets that were removed. Returns how many there were. */
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
    // Else it is of a set of another store.
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
