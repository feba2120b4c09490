import { constants } from 'node:fs';
import { dirname } from 'node:path';
import type { LeavesOut } from '../served-source.ts';

// Without O_NONBLOCK, opening a FIFO waits for its writer. The last name of a real path is not a link, unless one was
// swapped in.
export const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/** Whether a real path is in a folder, given by its real path; both are absolute. */
export function isWithin(folder: string, path: string): boolean {
  return path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/** Where git-annex has the bytes of its files, which are links to them, also those of a submodule. */
const ANNEX = /(?:^|\/)\.git\/(?:.+\/)?annex\/objects\//;

/**
 * Whether a link to a real path leads to a file or folder of the root that is not left out itself.
 * @param root by its real path
 */
export function leadsToListed(root: string, real: string, leavesOut: LeavesOut): boolean {
  if (!isWithin(root, real)) return false;
  const path = real.slice(root.endsWith('/') ? root.length : root.length + 1);
  return !leavesOut(path) || ANNEX.test(path);
}

/** What is known of a file before it is opened. Paths are absolute; `root`, `real` and `folder` are real ones. */
export interface FoundFile {
  readonly root: string;
  readonly named: string;
  readonly real: string;
  /** The folder of the name, and whether its last part is a link; not needed for a name that is the real path. */
  readonly link?: { readonly folder: string; readonly isLink: boolean } | undefined;
  /** Of the root; called for the target of a link only. */
  readonly leavesOut: LeavesOut;
}

/**
 * Whether a file is in the folder, and its name leads elsewhere only because the last part of it is a link, to a file
 * that is not left out. Nothing below a link is listed, and a file system that accepts `DATA` for `data` would open an
 * excluded file under that name.
 */
export function isOwn({ root, named, real, link, leavesOut }: FoundFile): boolean {
  if (real === named) return isWithin(root, real);
  return link?.isLink === true && link.folder === dirname(named) && leadsToListed(root, real, leavesOut);
}
