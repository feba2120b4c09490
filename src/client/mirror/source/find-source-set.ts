import { TidemarkError } from '../../../core/errors.ts';
import { withoutLogin } from '../../read/source-credentials.ts';
import { findSet } from './find-set.ts';
import { LIMITS, openRequests, type RequestOptions } from './open-requests.ts';

/** Milliseconds: a user waits for the result. */
const LONGEST_MS = 60_000;

/**
 * The URI of a set of a source: that of its Capability List, or of its only list.
 * @param name as `findSet` takes it
 * @throws TidemarkError as `findSet`
 */
export async function findSource(
  options: Omit<RequestOptions, 'connections' | 'rate'>,
  name: string | undefined,
): Promise<string> {
  const requests = await openRequests({ ...options, connections: 2, rate: Number.POSITIVE_INFINITY });
  const signal = AbortSignal.timeout(LONGEST_MS);
  try {
    const reader = { fetcher: requests.fetcher, limits: LIMITS, signal, progress: () => {} };
    return (await findSet(reader, withoutLogin(options.url), name, '--from-set')).uri;
  } catch (error) {
    if (!signal.aborted) throw error;
    const message = `${options.url} does not answer within ${LONGEST_MS / 1000} seconds: try again later`;
    throw new TidemarkError('unavailable', message, { url: options.url }, error);
  } finally {
    requests.close();
  }
}
