import { isTidemarkError, TidemarkError } from '../core/errors.ts';
import { reasonOf } from '../lib/system-error.ts';

/** Translates errors of the file system; returns other errors unchanged. */
export function folderError(folder: string, doing: 'read' | 'written', error: unknown): unknown {
  if (isTidemarkError(error) || !(error instanceof Error) || !('syscall' in error)) return error;
  const message = `the artifact store ${folder} cannot be ${doing}: ${reasonOf(error)}`;
  return new TidemarkError('unavailable', message, { artifacts: folder }, error);
}
