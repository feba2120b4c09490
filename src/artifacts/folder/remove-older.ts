import { link, rename, rm, stat } from 'node:fs/promises';
import { errorCode, isGone } from '../../lib/system-error.ts';

/**
 * Deletes a file unless it was modified at a time or later. The file is moved away before its time is read: a process
 * that touches it meanwhile is either early enough to be noticed, or finds no file.
 * @param away a free path on the same file system
 * @param than milliseconds since 1970
 */
export async function removeOlder(file: string, away: string, than: number): Promise<boolean> {
  try {
    if ((await stat(file)).mtimeMs >= than) return false;
    await rename(file, away);
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
  const isOlder = (await stat(away)).mtimeMs < than;
  if (!isOlder) await link(away, file).catch(ignoreTaken);
  await rm(away);
  return isOlder;
}

/** Another process has written the file again. */
function ignoreTaken(error: unknown): void {
  if (errorCode(error) !== 'EEXIST') throw error;
}
