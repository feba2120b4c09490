import { isTidemarkError } from '../../core/errors.ts';
import { scrubbed } from './scrubbed.ts';
import { scrubbedFields } from './scrubbed-fields.ts';

const MOST_CAUSES = 5;

/**
 * An error as it is logged: its texts, never the objects attached to it. Errors of client libraries contain the
 * requests that they sent, with credentials.
 */
export function loggedError(error: unknown, causes = 0): object {
  if (!(error instanceof Error)) return { message: scrubbed(String(error)) };
  const { name, message, stack, cause } = error;
  const { code } = error as { code?: unknown };
  return {
    type: name,
    ...(typeof code === 'string' && { code }),
    message: scrubbed(message),
    ...(isTidemarkError(error) && { details: scrubbedFields({ ...error.details }) }),
    stack: scrubbed(stack ?? ''),
    ...(cause !== undefined && causes < MOST_CAUSES && { cause: loggedError(cause, causes + 1) }),
  };
}
