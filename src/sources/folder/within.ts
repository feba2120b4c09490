import { constants } from 'node:fs';
import { dirname } from 'node:path';

/** Whether a path of the root is that of one of this program's own files: see `internalFiles`. */
export type IsInternal = (path: string) => boolean;

// Without O_NONBLOCK, opening a FIFO waits for its writer. The last name of a real path is not a link, unless one was
// swapped in.
export const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/** Whether a real path is in a folder, given by its real path; both are absolute. */
export function isWithin(folder: string, path: string): boolean {
  return path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/**
 * Whether a link to a real path leads to a file or folder of the root that is not this program's own. Patterns apply to
 * the name of the link alone: a folder of links may show some files of one that is left out.
 * @param root by its real path
 */
export function leadsToShown(root: string, real: string, isInternal: IsInternal): boolean {
  return isWithin(root, real) && !isInternal(real.slice(root.endsWith('/') ? root.length : root.length + 1));
}

/** What is known of a file before it is opened. Paths are absolute; `root`, `real` and `folder` are real ones. */
export interface FoundFile {
  readonly root: string;
  readonly named: string;
  readonly real: string;
  /** The folder of the name, and whether its last part is a link; not needed for a name that is the real path. */
  readonly link?: { readonly folder: string; readonly isLink: boolean } | undefined;
  /** Called for the target of a link only. */
  readonly isInternal: IsInternal;
}

/**
 * Whether a file is in the folder, and its name leads elsewhere only because the last part of it is a link, to a file
 * that is not this program's own. Nothing below a link is listed, and a file system that accepts `DATA` for `data`
 * would open an excluded file under that name.
 */
export function isOwn({ root, named, real, link, isInternal }: FoundFile): boolean {
  if (real === named) return isWithin(root, real);
  return link?.isLink === true && link.folder === dirname(named) && leadsToShown(root, real, isInternal);
}
