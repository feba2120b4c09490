import { constants } from 'node:fs';

// Without O_NONBLOCK, opening a FIFO waits for its writer. The last name of a real path is not a link, unless one was
// swapped in.
export const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/** Whether a real path is in a folder, given by its real path; both are absolute. */
export function isWithin(folder: string, path: string): boolean {
  return path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
