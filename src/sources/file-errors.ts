import { isTidemarkError, TidemarkError } from '../core/errors.ts';
import { errorCode, isGone, reasonOf } from '../lib/system-error.ts';

export function rootNotThere(root: string, error?: unknown): TidemarkError {
  const why = error === undefined || isGone(error) ? '' : `: ${reasonOf(error)}`;
  return new TidemarkError(
    'unavailable',
    `the root ${root} does not exist${why}: bring it back, nothing is deleted meanwhile`,
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

/** The error for a file that could not be opened or read. A TidemarkError is returned unchanged. */
export function openError(path: string, error: unknown): TidemarkError {
  if (isTidemarkError(error)) return error;
  // A link that was swapped in, or a device.
  const isNone = ['ELOOP', 'ENAMETOOLONG', 'ENXIO', 'ENODEV'].includes(errorCode(error) ?? '');
  if (isGone(error) || isNone) return noSuchFile(path);
  return new TidemarkError('unavailable', `"${path}" cannot be read: ${reasonOf(error)}`, { path }, error);
}
