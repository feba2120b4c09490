import { realpathSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { TidemarkError } from '../core/errors.ts';
import { type Origin, traitsOf } from '../core/origin.ts';
import { patternOfFolder } from '../lib/exclusions.ts';
import type { Configuration } from './configuration.ts';

// SQLite keeps these files beside an open database; the last one is the lock of the store.
const STORE_SUFFIXES = ['', '-wal', '-shm', '-journal', '.lock'];

/**
 * The exclusions of this program's own files from a folder that contains them. Otherwise every change would cause
 * another one, and the store would be public.
 * @throws TidemarkError `invalid` when the data folder is that folder itself
 */
export function exclusionsOfOwnFiles(origin: Origin, { dataFolder, store }: Configuration): readonly string[] {
  const root = traitsOf(origin).folder;
  if (root === undefined) return [];
  const data = placeBelow(root, dataFolder);
  if (data === '') {
    throw new TidemarkError('invalid', `${root} is the data folder itself: choose another one with --data`, {
      folder: root,
    });
  }
  const own = data === undefined ? [] : [patternOfFolder(data)];
  const file = store.kind === 'sqlite' ? placeBelow(root, store.file) : undefined;
  if (file === undefined || (data !== undefined && file.startsWith(`${data}/`))) return own;
  return [...own, ...STORE_SUFFIXES.map((suffix) => patternOfFolder(file + suffix).slice(0, -1))];
}

/** The relative path of a file below a folder, with `/` between names; undefined for a file elsewhere. */
function placeBelow(folder: string, path: string): string | undefined {
  const place = relative(realPlace(folder), realPlace(path));
  if (place === '..' || place.startsWith(`..${sep}`) || place.startsWith(sep)) return undefined;
  return place.split(sep).join('/');
}

/** The real path of a file that may not exist yet. */
function realPlace(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(realPlace(dirname(path)), basename(path));
  }
}
