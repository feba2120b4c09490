import { realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { TidemarkError } from '../core/errors.ts';

/**
 * The real, absolute path of a given folder: the same folder always has the same path.
 * @throws TidemarkError `invalid` when there is no such folder
 */
export async function realFolder(folder: string, workingDirectory: string): Promise<string> {
  const path = resolve(workingDirectory, folder);
  try {
    const real = await realpath(path);
    if ((await stat(real)).isDirectory()) return real;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
    throw new TidemarkError(
      'invalid',
      isMissing ? `there is no folder ${path}` : `${path} cannot be read: ${message}`,
      {
        folder: path,
      },
    );
  }
  throw new TidemarkError('invalid', `${path} is a file: name the folder that it is in`, { folder: path });
}
