import { isTidemarkError, TidemarkError } from '../core/errors.ts';
import { reasonOf } from '../lib/system-error.ts';

/** Our own errors stay as they are. */
export function folderError(folder: string, doing: 'read' | 'written', error: unknown): unknown {
  if (isTidemarkError(error) || !(error instanceof Error) || !('syscall' in error)) return error;
  const message = `the artifact store ${folder} cannot be ${doing}: ${reasonOf(error)}`;
  return new TidemarkError('unavailable', message, { artifacts: folder }, error);
}
