import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import { type Origin, traitsOf } from '../../core/origin.ts';
import { withTimeout } from '../../lib/calls/with-timeout.ts';
import { parseS3Location } from '../../lib/s3/s3-location.ts';

const TIMEOUT_MS = 10_000;
const ATTEMPTS = 2;

/**
 * Lists the bucket of a new set once: a mistyped name, or a missing permission, would only show when it is scanned.
 * @throws TidemarkError `invalid` when it does not exist, or cannot be read
 */
export async function requireBucket(origin: Origin): Promise<void> {
  const { bucket: location } = traitsOf(origin);
  if (location === undefined) return;
  // Loaded only when needed: the client takes 100 milliseconds to load.
  const { Bucket } = await import('../../lib/s3/bucket.ts');
  const bucket = new Bucket(parseS3Location(location), { timeoutMs: TIMEOUT_MS, attempts: ATTEMPTS }, 'new-root');
  try {
    await withTimeout(bucket.requireExists(), TIMEOUT_MS, () => noAnswer(bucket.name));
  } catch (error) {
    if (!isTidemarkError(error, 'unavailable')) throw error;
    throw new TidemarkError('invalid', `${error.message}. The set was not added`, { field: 'root' }, error);
  } finally {
    bucket.close();
  }
}

function noAnswer(name: string): never {
  const seconds = TIMEOUT_MS / 1000;
  throw new TidemarkError('unavailable', `the root ${name} cannot be read: no answer came within ${seconds} seconds`);
}
