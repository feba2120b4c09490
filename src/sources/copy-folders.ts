import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SetId } from '../core/resource-set.ts';
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

/** Removes the copies of sets that were removed. Returns how many there were. */
export async function removeCopies(dataFolder: string, removed: readonly SetId[]): Promise<number> {
  const ids = new Set(removed.map(String));
  const unused = (await namesIn(join(dataFolder, FOLDER))).filter((name) => ids.has(name.split('-')[0]!));
  for (const name of unused) await rm(join(dataFolder, FOLDER, name), { recursive: true, force: true, maxRetries: 5 });
  return unused.length;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}
