import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises';
import { TidemarkError } from '../../domain/errors.ts';
import type { RootFile } from '../content-root.ts';
import { errorCode, isGone, reasonOf, rootNotThere } from './file-errors.ts';
import { FolderFile } from './folder-file.ts';
import { isWithin } from './walk.ts';

// Without O_NONBLOCK, opening a FIFO waits for its writer. The real path's last name is no link, unless one was swapped in.
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/** An editor that replaces a file may do so between opening and checking; several times in a row is no coincidence. */
const ATTEMPTS = 5;

/**
 * Opens a regular file of a folder. Where the open file lies is asked of the open file itself, so that swapping in a link
 * between check and open leads nowhere.
 * @throws TidemarkError `not-found` when there is none, or it lies outside; `unavailable` when it, or the root, cannot be read
 */
export async function openWithin(root: string, path: string): Promise<RootFile> {
  if (!isPlainPath(path)) throw notFound(path);
  const realRoot = await realpath(root).catch((error: unknown) => {
    throw rootNotThere(root, error);
  });
  for (let attempt = 1; ; attempt++) {
    const file = await tryOpen(realRoot, path);
    if (file !== undefined) return file;
    if (attempt === ATTEMPTS) throw notFound(path);
  }
}

/** Returns undefined when the file was replaced meanwhile. */
async function tryOpen(realRoot: string, path: string): Promise<RootFile | undefined> {
  const { real, handle } = await openReal(realRoot, path);
  try {
    const stats = await handle.stat({ bigint: true });
    const place = await placeOf(handle, real);
    if (place !== undefined && stats.isFile() && isWithin(realRoot, place)) return new FolderFile(handle, path, stats);
    if (place !== undefined) throw notFound(path);
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return undefined;
}

async function openReal(realRoot: string, path: string): Promise<{ real: string; handle: FileHandle }> {
  try {
    const real = await realpath(`${realRoot}/${path}`);
    // Looked at before it is opened: opening a device may do something.
    if (!isWithin(realRoot, real) || !(await stat(real)).isFile()) throw notFound(path);
    return { real, handle: await open(real, FLAGS) };
  } catch (error) {
    if (error instanceof TidemarkError) throw error;
    if (isGone(error) || ['ELOOP', 'ENAMETOOLONG', 'ENXIO', 'ENODEV'].includes(errorCode(error) ?? '')) {
      throw notFound(path);
    }
    throw new TidemarkError('unavailable', `"${path}" cannot be read: ${reasonOf(error)}`, { path }, error);
  }
}

/** The real path of an open file; undefined when it is not at that path any more. */
async function placeOf(handle: FileHandle, real: string): Promise<string | undefined> {
  const link = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
  const place = await realpath(link ?? real).catch(() => undefined);
  if (place === undefined || link !== undefined) return place;
  // No /proc on this system: what the path names now has to be what is open.
  const [named, opened] = await Promise.all([stat(place, { bigint: true }), handle.stat({ bigint: true })]);
  return named.dev === opened.dev && named.ino === opened.ino ? place : undefined;
}

function isPlainPath(path: string): boolean {
  return !path.includes('\0') && path.split('/').every((name) => name !== '' && name !== '.' && name !== '..');
}

function notFound(path: string): TidemarkError {
  return new TidemarkError('not-found', `there is no file "${path}" in the root`, { path });
}
