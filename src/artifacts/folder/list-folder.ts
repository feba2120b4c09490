import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isGone } from '../../lib/system-error.ts';
import type { ListedObject } from '../artifact-store.ts';
import { isPlainKey, requirePlainKey } from '../plain-key.ts';

const BATCH = 500;

interface Named {
  readonly name: string;
  readonly isFolder: boolean;
}

/**
 * The names in a folder (empty, or ending with a slash) that can be part of a key, in key order; empty if the folder
 * does not exist.
 */
export async function namesIn(root: string, under: string): Promise<readonly Named[]> {
  if (under !== '') requirePlainKey(under.replace(/\/$/, ''));
  const entries = await readdir(join(root, under), { withFileTypes: true }).catch((error: unknown) => {
    if (isGone(error)) return [];
    throw error;
  });
  return entries
    .filter((entry) => (entry.isFile() || entry.isDirectory()) && isPlainKey(entry.name))
    .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
    .sort((one, other) => (sortingName(one) < sortingName(other) ? -1 : 1));
}

/** Yields the files whose keys begin with a prefix, ascending by key, in batches. */
export async function* listFolder(
  root: string,
  prefix: string,
  { deep = true }: { readonly deep?: boolean } = {},
): AsyncGenerator<readonly ListedObject[]> {
  let batch: ListedObject[] = [];
  for await (const key of keysUnder(root, { prefix, deep })) {
    const stats = await stat(join(root, key)).catch((error: unknown) => {
      if (isGone(error)) return undefined;
      throw error;
    });
    if (stats === undefined) continue;
    batch.push({ key, length: stats.size, modified: stats.mtimeMs });
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function* keysUnder(root: string, { prefix, deep }: { prefix: string; deep: boolean }): AsyncGenerator<string> {
  const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  for (const { name, isFolder } of await namesIn(root, folder)) {
    const key = folder + name;
    if (!isFolder && key.startsWith(prefix)) yield key;
    // The rest of the prefix after `folder` has no slash, so it only has to match the name of this folder.
    if (isFolder && deep && `${key}/`.startsWith(prefix)) yield* keysUnder(root, { prefix: `${key}/`, deep });
  }
}

/** Sorts a folder where the keys below it sort among the files beside it. */
function sortingName({ name, isFolder }: Named): string {
  return isFolder ? `${name}/` : name;
}
