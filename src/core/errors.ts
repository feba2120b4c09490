/**
 * What can go wrong, in the words of this program. Adapters translate foreign errors into these at their edge;
 * http/response/error-handler.ts turns them into a response, cli/exit-code.ts into an exit code.
 *
 * - `invalid`: what was given is wrong, and stays wrong when tried again
 * - `not-found`: no such set, page or resource
 * - `conflict`: another client or process changed it first
 * - `gone`: it was there, and will not come back (a page of an old epoch)
 * - `forbidden`: the caller may not do this
 * - `not-ready`: being made; try again in a few seconds
 * - `unavailable`: a store or a root does not answer, or refuses to write; may pass
 * - `incompatible`: the store has a schema that this version cannot use
 */
export type ErrorCode =
  | 'invalid'
  | 'not-found'
  | 'conflict'
  | 'gone'
  | 'forbidden'
  | 'not-ready'
  | 'unavailable'
  | 'incompatible';

export class TidemarkError extends Error {
  readonly code: ErrorCode;
  /** Plain values that help a program, such as the name of a field. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, details: Record<string, unknown> = {}, cause?: unknown) {
    super(message, { cause });
    this.name = 'TidemarkError';
    this.code = code;
    this.details = details;
  }
}

export function isTidemarkError(error: unknown, code?: ErrorCode): error is TidemarkError {
  return error instanceof TidemarkError && (code === undefined || error.code === code);
}
