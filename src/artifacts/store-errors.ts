import { isTidemarkError, TidemarkError } from '../core/errors.ts';
import type { GetOptions, ObjectKey } from './artifact-store.ts';

export function noSuchObject(store: string, key: ObjectKey): TidemarkError {
  return new TidemarkError('not-found', `there is no ${key} in the artifact store ${store}`, { key });
}

export function keyTaken(store: string, key: ObjectKey): TidemarkError {
  const message = `${key} is in the artifact store ${store} already, and nothing is ever overwritten`;
  return new TidemarkError('conflict', message, { key });
}

export function beyondEnd(store: string, key: ObjectKey, start: number): TidemarkError {
  const message = `${key} in the artifact store ${store} has no byte ${start}: it ends before`;
  return new TidemarkError('invalid', message, { key, start });
}

export function cutOff(store: string, key: ObjectKey, { came, of }: { came: number; of: number }): TidemarkError {
  const message = `${key} in the artifact store ${store} was cut off: ${came} of ${of} bytes came; trying again may help`;
  return new TidemarkError('unavailable', message, { key, artifacts: store });
}

/** The error for an artifact that cannot be read, for comparing as for reading a record or a file. */
export function unreadable(error: unknown, key: ObjectKey, store: string): unknown {
  if (isTidemarkError(error, 'not-found')) {
    return new TidemarkError(
      'unavailable',
      `the artifact ${key} is not in ${store} (any more): put it back`,
      { artifact: key },
      error,
    );
  }
  if (!isTidemarkError(error, 'invalid')) return error;
  const problem = error.message.startsWith(key) ? error.message : `${key}: ${error.message}`;
  return new TidemarkError('unavailable', `the artifact cannot be read: ${problem}`, { artifact: key }, error);
}

/** @throws TidemarkError `invalid` unless the range is of whole bytes and not empty */
export function requireRange(range: GetOptions['range']): void {
  if (range === undefined) return;
  const { start, length } = range;
  if (Number.isSafeInteger(start) && start >= 0 && Number.isSafeInteger(start + length) && length >= 1) return;
  throw new TidemarkError('invalid', `there are no ${length} bytes from byte ${start} on`, { start, length });
}
