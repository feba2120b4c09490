import { TidemarkError } from './errors.ts';

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
