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
 * What is in a folder (empty, or ending with a slash) that may have a key, in the order of the keys; nothing when it is
 * not there.
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

/** The files whose key begins with a prefix, ascending by key, as batches. */
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
    // A prefix that goes on below this folder was cut at its last slash.
    if (isFolder && deep && `${key}/`.startsWith(prefix)) yield* keysUnder(root, { prefix: `${key}/`, deep });
  }
}

/** As the keys below a folder compare with files beside it. */
function sortingName({ name, isFolder }: Named): string {
  return isFolder ? `${name}/` : name;
}
