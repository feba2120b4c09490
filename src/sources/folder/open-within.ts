import { type FileHandle, lstat, open, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RootFile } from '../content-root.ts';
import { noSuchFile, openError, rootNotThere } from '../file-errors.ts';
import { isPlainPath } from '../plain-path.ts';
import { FolderFile } from './folder-file.ts';
import { type FoundFile, type IsInternal, isOwn, OPEN_FLAGS } from './within.ts';

/** Called with the device and the real path of a file that was opened. */
type OnOpen = (device: bigint, real: string) => void;

interface OpenedRoot {
  readonly root: string;
  readonly isInternal: IsInternal;
}

/** An editor that replaces a file may do so between opening and checking, but not several times in a row. */
const ATTEMPTS = 5;

/**
 * Opens a regular file of a folder. The path of the open file is read from the open file itself, so a link that is
 * swapped in between check and open leads nowhere.
 * @throws TidemarkError `not-found` when there is none, it is outside, or the path is a link to one of this program's
 *   own; `unavailable` when it, or the root, cannot be read
 */
export async function openWithin({ root, isInternal }: OpenedRoot, path: string, onOpen?: OnOpen): Promise<RootFile> {
  if (!isPlainPath(path)) throw noSuchFile(path);
  const realRoot = await realpath(root).catch((error: unknown) => {
    throw rootNotThere(root, error);
  });
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const file = await tryOpen({ root: realRoot, isInternal }, path, onOpen);
    if (file !== undefined) return file;
  }
  throw noSuchFile(path);
}

/** Returns undefined when the file was replaced meanwhile. @param root by its real path */
async function tryOpen(root: OpenedRoot, path: string, onOpen?: OnOpen): Promise<RootFile | undefined> {
  const { real, handle } = await openReal(root, path);
  try {
    const stats = await handle.stat({ bigint: true });
    const place = await placeOf(handle, real);
    if (place === real && stats.isFile()) {
      onOpen?.(stats.dev, real);
      return new FolderFile(handle, path, { stats, real });
    }
    if (place === real) throw noSuchFile(path);
  } catch (error) {
    await handle.close();
    throw openError(path, error);
  }
  await handle.close();
  return undefined;
}

async function openReal({ root, isInternal }: OpenedRoot, path: string): Promise<{ real: string; handle: FileHandle }> {
  try {
    const named = join(root, path);
    const real = await realpath(named);
    const link = real === named ? undefined : await linkOf(named);
    if (!isOwn({ root, named, real, link, isInternal })) throw noSuchFile(path);
    // Checked before it is opened: opening a device may do something.
    if (!(await lstat(real)).isFile()) throw noSuchFile(path);
    return { real, handle: await open(real, OPEN_FLAGS) };
  } catch (error) {
    throw openError(path, error);
  }
}

async function linkOf(named: string): Promise<FoundFile['link']> {
  return { folder: await realpath(dirname(named)), isLink: (await lstat(named)).isSymbolicLink() };
}

/** The real path of an open file; undefined when it is no longer at that path. */
async function placeOf(handle: FileHandle, real: string): Promise<string | undefined> {
  const link = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
  const place = await realpath(link ?? real).catch(() => undefined);
  if (place === undefined || link !== undefined) return place;
  // Without /proc: the file that the path names now must be the open file.
  const [named, opened] = await Promise.all([stat(place, { bigint: true }), handle.stat({ bigint: true })]);
  return named.dev === opened.dev && named.ino === opened.ino ? place : undefined;
}
