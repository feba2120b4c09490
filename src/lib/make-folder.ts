import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { TidemarkError } from '../core/errors.ts';

/** What a server keeps has digests of tokens and private sets in it. */
const OWNER_ONLY = { folder: 0o700, file: 0o600 };
/** Less what the umask of the process takes away. */
const ABOVE = 0o777;

/**
 * Makes a folder that only its owner can use, and those above it as they are made by default. (Node's own recursive
 * mkdir goes round for ever where a file system has a folder but lets nothing be made in it, as /proc does.)
 * @throws TidemarkError `unavailable`
 */
export function makeFolder(folder: string, mode = OWNER_ONLY.folder): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder), ABOVE);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // Another process was faster.
    if (code === 'EEXIST') return;
    throw new TidemarkError('unavailable', `the folder ${folder} cannot be made: ${message}`, { folder }, error);
  }
}

/** Makes an empty file that only its owner can read, unless there is one. */
export function makeFile(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', OWNER_ONLY.file));
}

/** Whether every account of the machine may list a folder. */
export function isOpenToAll(folder: string): boolean {
  return ((statSync(folder, { throwIfNoEntry: false })?.mode ?? 0) & 0o007) !== 0;
}
