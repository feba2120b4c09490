import { isTidemarkError, TidemarkError } from '../domain/errors.ts';

/** The code of an error of the operating system, such as `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Whether an error means that there is nothing at this path. */
export function isGone(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  ELOOP: 'too many symbolic links',
  ENAMETOOLONG: 'its path is too long',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files',
  EIO: 'the disk reports an error',
  ESTALE: 'the network file system lost it',
};

/** Why, in words that mention no path of this machine. */
export function reasonOf(error: unknown): string {
  const code = errorCode(error);
  if (code !== undefined) return `${REASONS[code] ?? 'it failed'} (${code})`;
  return error instanceof Error ? error.message : String(error);
}

export function rootNotThere(root: string, error?: unknown): TidemarkError {
  const why = error === undefined || isGone(error) ? '' : `: ${reasonOf(error)}`;
  return new TidemarkError(
    'unavailable',
    `the root ${root} is not there${why}: bring it back, nothing is deleted meanwhile`,
    { root },
    error,
  );
}

export function noSuchFile(path: string): TidemarkError {
  return new TidemarkError('not-found', `there is no file "${path}" in the root`, { path });
}

export function changedMeanwhile(path: string): TidemarkError {
  return new TidemarkError('conflict', `"${path}" changed while it was read`, { path });
}

/** What to say when opening or reading a file failed; our own errors stay as they are. */
export function openError(path: string, error: unknown): TidemarkError {
  if (isTidemarkError(error)) return error;
  // A link that was swapped in, or a device.
  const isNone = ['ELOOP', 'ENAMETOOLONG', 'ENXIO', 'ENODEV'].includes(errorCode(error) ?? '');
  if (isGone(error) || isNone) return noSuchFile(path);
  return new TidemarkError('unavailable', `"${path}" cannot be read: ${reasonOf(error)}`, { path }, error);
}
