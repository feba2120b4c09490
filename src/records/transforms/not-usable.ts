import { TidemarkError } from '../../core/errors.ts';

/** The error for something that is not a transform. @param subject as named on the command line */
export function notUsable(subject: string, problem: string): TidemarkError {
  return new TidemarkError('invalid', `${subject} ${problem}`, { transform: subject });
}
