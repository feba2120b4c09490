import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** A file system in memory, on Linux; and the bytes that must be free there. */
const MEMORY = { folder: '/dev/shm', freeBytes: 4 * 1024 ** 3 };

/**
 * The folder in which tests put temporary files: the one of `TMPDIR`; without it one in memory, when there is enough
 * room. A disk would take most of the time of the tests to sync their stores and to remove their files.
 */
export function scratchRoot(): string {
  return process.env.TMPDIR === undefined && hasRoom() ? MEMORY.folder : tmpdir();
}

function hasRoom(): boolean {
  if (!existsSync(MEMORY.folder)) return false;
  const { bavail, bsize } = statfsSync(MEMORY.folder);
  return bavail * bsize >= MEMORY.freeBytes;
}
