import { unlinkSync } from 'node:fs';

/**
 * Unlinks an open file: the system deletes it when it is closed, also when the process is killed. Returns false on
 * systems that cannot unlink open files: call it again after closing the file.
 */
export function unlinked(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch {
    return false;
  }
}
