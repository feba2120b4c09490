import { mkdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DiskSync } from '../../lib/disk-sync.ts';
import { isGone } from '../../lib/system-error.ts';
import type { Draft, ObjectKey, SmallObject } from '../artifact-store.ts';
import { writeNewFile } from '../drafts.ts';

export interface SmallFilePlace {
  /** Of the store, which `disk` syncs. */
  readonly root: string;
  readonly disk: DiskSync;
  /** For unfinished files, on the same file system. It is removed in the end. */
  readonly folder: string;
}

interface Unfinished {
  readonly path: string;
  readonly target: string;
}

/**
 * Writes small files under temporary names, and gives them their own when all of them are durable. Files that exist
 * are touched. Synchronous calls, which for small files cost a fraction of asynchronous ones: for a thread of its own.
 */
export function writeSmallFiles(place: SmallFilePlace, objects: readonly SmallObject[]): Promise<void> {
  return store(place, objects, ({ bytes }, at) => {
    const path = join(place.folder, String(at));
    writeNewFile(path, bytes);
    return path;
  });
}

/** The same with files that other threads have written. */
export function keepDrafts(place: SmallFilePlace, drafts: readonly Draft[]): Promise<void> {
  return store(place, drafts, ({ path }) => path);
}

/** @param write makes the unfinished file of an object that is not stored yet, and returns its path */
async function store<Stored extends { readonly key: ObjectKey }>(
  { root, disk, folder }: SmallFilePlace,
  objects: readonly Stored[],
  write: (object: Stored, at: number) => string,
): Promise<void> {
  try {
    const unfinished: Unfinished[] = [];
    // Also those of files that exist: the process that wrote them may not have come so far.
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
  // Most are not there, and an exception takes longer than this.
  if (statSync(target, { throwIfNoEntry: false }) === undefined) return false;
  try {
    const now = new Date();
    utimesSync(target, now, now);
    return true;
  } catch (error) {
    // It was removed meanwhile.
    if (isGone(error)) return false;
    throw error;
  }
}

/**
 * Gives a file its name; when another process has just written it, the bytes are the same. Returns the folders that
 * have a new entry because its folder had to be made.
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
