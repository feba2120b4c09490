import { TidemarkError } from '../../core/errors.ts';

/** The error for what is no transform. @param subject what the command line names */
export function notUsable(subject: string, problem: string): TidemarkError {
  return new TidemarkError('invalid', `${subject} ${problem}`, { transform: subject });
}
