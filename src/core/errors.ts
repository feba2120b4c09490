/**
 * The codes of all errors. Adapters translate foreign errors into these; http/response/error-handler.ts turns them into
 * a response, cli/exit-code.ts into an exit code.
 *
 * - `invalid`: the input is wrong, and a retry cannot succeed
 * - `not-found`: no such set, page or resource
 * - `conflict`: another client or process changed it first
 * - `gone`: it existed, and will not exist again (a page of an old epoch)
 * - `forbidden`: the caller may not do this
 * - `not-ready`: it is being created; retry in a few seconds
 * - `unavailable`: a store or a root does not respond, or refuses writes; may be temporary
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
  /** Plain values for programs, such as the name of a field. */
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

/** The same error about a field; any other error, and one that is not `invalid`, is returned as it is. */
export function withField(error: unknown, field: string): unknown {
  if (!isTidemarkError(error, 'invalid')) return error;
  return new TidemarkError(error.code, error.message, { ...error.details, field }, error.cause);
}

/**
 * Whether the artifact store is at fault: it does not exist, does not respond, denies, throttles, or is full. Only such
 * errors have the detail `artifacts`, its name.
 */
export function isArtifactStoreAway(error: unknown): error is TidemarkError {
  return isTidemarkError(error, 'unavailable') && error.details.artifacts !== undefined;
}

/** Whether the disk of temporary files is full. Only such errors have the detail `fullFolder`, the folder's name. */
export function isScratchFull(error: unknown): error is TidemarkError {
  return isTidemarkError(error, 'unavailable') && error.details.fullFolder !== undefined;
}

/** Waits for a write. Undefined when it failed with `conflict`: another process was first. */
export function unlessConflict<Result>(write: Promise<Result>): Promise<Result | undefined> {
  return unless('conflict', write);
}

/** Waits for a read. Undefined when it failed with `not-found`. */
export function unlessNotFound<Result>(read: Promise<Result>): Promise<Result | undefined> {
  return unless('not-found', read);
}

function unless<Result>(code: ErrorCode, work: Promise<Result>): Promise<Result | undefined> {
  return work.catch((error: unknown) => {
    if (isTidemarkError(error, code)) return undefined;
    throw error;
  });
}

/**
 * Parses JSON that a store was given by this program.
 * @param what names it: `the state of a resource`
 * @throws TidemarkError `unavailable` when it is something else now: the store is damaged
 */
export function parseStored<Value>(text: string, what: string): Value {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw damagedStore(`${what} is not JSON`, error);
  }
}

/** @param what is wrong in the store */
export function damagedStore(what: string, cause?: unknown): TidemarkError {
  const message = `the store is damaged: ${what}; "tidemark verify" finds what else is, then restore it from a backup`;
  return new TidemarkError('unavailable', message, {}, cause);
}
