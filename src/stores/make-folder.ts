import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { TidemarkError } from '../domain/errors.ts';

/**
 * Makes a folder and those above it. (Node's own recursive mkdir goes round for ever where a file system has a folder
 * but lets nothing be made in it, as /proc does.)
 * @throws TidemarkError `unavailable`
 */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // Another process was faster.
    if (code === 'EEXIST') return;
    throw new TidemarkError('unavailable', `the folder ${folder} cannot be made: ${message}`, { folder }, error);
  }
}
