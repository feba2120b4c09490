import { spawnSync } from 'node:child_process';
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, utimesSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isGone } from '../../lib/system-error.ts';
import type { SmallObject } from '../artifact-store.ts';

export interface SmallWrites {
  readonly root: string;
  /** A folder to make for unfinished files, on the same file system. */
  readonly temporary: string;
  readonly objects: readonly SmallObject[];
}

interface Unfinished {
  readonly path: string;
  readonly target: string;
}

/** With more files, the whole file system is synced: for thousands, that takes a tenth of the time. */
const SYNCED_ALONE = 16;

/**
 * Writes small files under temporary names, and gives them their own when all of them are durable. Files that exist
 * are touched. Synchronous calls, which for small files cost a fraction of asynchronous ones: for a thread of its own.
 */
export function writeSmallFiles({ root, temporary, objects }: SmallWrites): void {
  const unfinished: Unfinished[] = [];
  // Also those of files that exist: the process that wrote them may not have come so far.
  const folders = new Set(objects.map(({ key }) => dirname(join(root, key))));
  mkdirSync(temporary);
  try {
    for (const { key, bytes } of objects) {
      const target = join(root, key);
      if (isTouched(target)) continue;
      const path = join(temporary, String(unfinished.length));
      writeFile(path, bytes);
      unfinished.push({ path, target });
    }
    sync(
      root,
      unfinished.map(({ path }) => path),
    );
    for (const { path, target } of unfinished) {
      for (const folder of moved(path, target)) folders.add(folder);
    }
    sync(root, [...folders]);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

function isTouched(target: string): boolean {
  try {
    const now = new Date();
    utimesSync(target, now, now);
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

function writeFile(path: string, bytes: Uint8Array): void {
  const file = openSync(path, 'wx');
  try {
    // A full disk may take a part of what it is given.
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
  } finally {
    closeSync(file);
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

/** Makes files or folders durable. */
function sync(root: string, paths: readonly string[]): void {
  if (paths.length > SYNCED_ALONE && syncFileSystem(root)) return;
  for (const path of paths) {
    const opened = openSync(path, 'r');
    try {
      fsyncSync(opened);
    } finally {
      closeSync(opened);
    }
  }
}

/** Returns false where the system has no such command. */
function syncFileSystem(root: string): boolean {
  return spawnSync('sync', ['-f', root], { stdio: 'ignore' }).status === 0;
}
