import { TidemarkError } from '../../core/errors.ts';
import { reasonOf } from '../../lib/system-error.ts';

/** The error for a copy whose folder as a whole cannot be used. */
export function cannotBeWritten(root: string, error: unknown): TidemarkError {
  return new TidemarkError('unavailable', `${root} cannot be written: ${reasonOf(error)}`, { folder: root }, error);
}
