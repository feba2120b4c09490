import { mkdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DiskSync } from '../../lib/files/disk-sync.ts';
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
  return store(place, objects, ({ bytes }, target, at) => {
    if (isTouched(target)) return undefined;
    const path = `${place.folder}/${at}`;
    writeNewFile(path, bytes);
    return path;
  });
}

/** Stores files that other threads have written as drafts. A file that exists is replaced, by the same bytes. */
export function keepDrafts(place: SmallFilePlace, drafts: readonly Draft[]): Promise<void> {
  return store(place, drafts, ({ name }) => `${place.folder}/${name}`);
}

/** @param written writes the temporary file of an object, and returns its path; undefined when the object exists */
async function store<Stored extends { readonly key: ObjectKey }>(
  { root, disk, folder }: SmallFilePlace,
  objects: readonly Stored[],
  written: (object: Stored, target: string, at: number) => string | undefined,
): Promise<void> {
  try {
    const unfinished: Unfinished[] = [];
    // Includes folders of files that exist: the process that wrote them may not have made them durable yet.
    const folders = new Set<string>();
    for (const [at, object] of objects.entries()) {
      // Not by `join` and `dirname`, which take as long as a tenth of renaming it.
      const target = `${root}/${object.key}`;
      folders.add(target.slice(0, target.lastIndexOf('/')));
      const path = written(object, target, at);
      if (path !== undefined) unfinished.push({ path, target });
    }
    await disk.sync(unfinished.map(({ path }) => path));
    for (const made of [...folders].flatMap(makeFolder)) folders.add(made);
    // If another process has just written the same key, the bytes are equal.
    for (const { path, target } of unfinished) renameSync(path, target);
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

/** Returns the folders that have a new entry. */
function makeFolder(folder: string): readonly string[] {
  const first = mkdirSync(folder, { recursive: true });
  const above: string[] = [];
  if (first === undefined) return above;
  for (let made = folder; made.length >= first.length; made = dirname(made)) above.push(dirname(made));
  return above;
}
