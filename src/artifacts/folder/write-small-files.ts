import { mkdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DiskSync } from '../../lib/disk-sync.ts';
import { isGone } from '../../lib/system-error.ts';
import type { Draft, ObjectKey, SmallObject } from '../artifact-store.ts';
import { writeNewFile } from '../drafts.ts';

interface SmallFilePlace {
  /** The root folder of the store, which `disk` syncs. */
  readonly root: string;
  readonly disk: DiskSync;
  /** A folder for unfinished files, on the same file system. It is deleted at the end. */
  readonly folder: string;
}

interface Unfinished {
  readonly path: string;
  readonly target: string;
}

/**
 * Writes small files under temporary names, and renames them once all are durable. It only touches files that exist.
 * Synchronous calls, which take a fraction of the time for small files: for a thread that does nothing else.
 */
export function writeSmallFiles(place: SmallFilePlace, objects: readonly SmallObject[]): Promise<void> {
  return store(place, objects, ({ bytes }, at) => {
    const path = join(place.folder, String(at));
    writeNewFile(path, bytes);
    return path;
  });
}

/** Stores files that other threads have written as drafts. */
export function keepDrafts(place: SmallFilePlace, drafts: readonly Draft[]): Promise<void> {
  return store(place, drafts, ({ path }) => path);
}

/** @param write makes the temporary file of an object that does not exist yet, and returns its path */
async function store<Stored extends { readonly key: ObjectKey }>(
  { root, disk, folder }: SmallFilePlace,
  objects: readonly Stored[],
  write: (object: Stored, at: number) => string,
): Promise<void> {
  try {
    const unfinished: Unfinished[] = [];
    // Includes folders of files that exist: the process that wrote them may not have made them durable yet.
    const folders = new Set<string>();
    for (const [at, object] of objects.entries()) {
      const target = join(root, object.key);
      folders.add(dirname(target));
      if (!isTouched(target)) unfinished.push({ path: write(object, at), target });
    }
    await disk.sync(unfinished.map(({ path }) => path));
    for (const { path, target } of unfinished) {
      for (const changed of moved(path, target)) folders.add(changed);
    }
    await disk.sync([...folders]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function isTouched(target: string): boolean {
  // Most do not exist, and an exception would take longer than this check.
  if (statSync(target, { throwIfNoEntry: false }) === undefined) return false;
  try {
    const now = new Date();
    utimesSync(target, now, now);
    return true;
  } catch (error) {
    // It was deleted meanwhile.
    if (isGone(error)) return false;
    throw error;
  }
}

/**
 * Renames a file. If another process has just written the same key, the bytes are equal. Returns the folders with a new
 * entry because a folder had to be created.
 */
function moved(path: string, target: string): readonly string[] {
  try {
    renameSync(path, target);
    return [];
  } catch (error) {
    if (!isGone(error)) throw error;
  }
  const folder = dirname(target);
  const first = mkdirSync(folder, { recursive: true }) ?? folder;
  renameSync(path, target);
  const above: string[] = [];
  for (let made = folder; made.length >= first.length; made = dirname(made)) above.push(dirname(made));
  return above;
}
