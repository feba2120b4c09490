import { unlinkSync } from 'node:fs';

/**
 * Takes the name of an open file away: it goes when it is closed, and also when the process is killed. Returns false
 * where the system does not let go of the name of an open file; then call this again after closing it.
 */
export function unlinked(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch {
    return false;
  }
}
