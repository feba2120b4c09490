import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { TidemarkError } from '../../core/errors.ts';

/** The files of a server contain digests of tokens, and private sets. */
const OWNER_ONLY = { folder: 0o700, file: 0o600 };
/** The mode of parent folders, before the umask. */
const ABOVE = 0o777;

/**
 * Creates a folder that only its owner can use, and its parents with the default mode. Node's recursive mkdir is not
 * used: it loops for ever on a file system that allows no new folders, such as /proc.
 * @throws TidemarkError `unavailable`
 */
export function makeFolder(folder: string, mode = OWNER_ONLY.folder): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder), ABOVE);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // Another process has created it.
    if (code === 'EEXIST') return;
    throw new TidemarkError('unavailable', `the folder ${folder} cannot be made: ${message}`, { folder }, error);
  }
}

/** Creates an empty file that only its owner can read, unless it exists. */
export function makeFile(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', OWNER_ONLY.file));
}

/** Whether users other than the owner and its group have any permission on a folder. */
export function isOpenToAll(folder: string): boolean {
  return ((statSync(folder, { throwIfNoEntry: false })?.mode ?? 0) & 0o007) !== 0;
}
