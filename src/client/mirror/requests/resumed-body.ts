import { pauseAfter } from '../../../lib/retry.ts';
import { type Fetched, FetchFailure, Refused } from '../../read/fetcher.ts';
import type { Reader } from '../../read/reader.ts';

/** A break after more bytes than these is not counted: on a bad connection, a long resource breaks often. */
const PROGRESS_BYTES = 1024 * 1024;
const MOST_BREAKS = 5;
const BACKOFF = { firstMs: 200, longestMs: 5_000 };

/**
 * Yields the bytes of a response. When its connection breaks, it requests the rest (RFC 9110, 13.1.5 and 14.2), if the
 * response has a strong ETag, so that the rest is of the same bytes.
 * @param uri the requested URI
 * @throws FetchFailure when the rest cannot be fetched
 */
export async function* resumedBody(
  uri: string,
  first: Fetched,
  { fetcher, signal }: Pick<Reader, 'fetcher' | 'signal'>,
): AsyncGenerator<Uint8Array> {
  const { etag } = first.headers;
  let at = 0;
  let breaks = 0;
  for (let fetched = first; ; ) {
    const begun = at;
    try {
      for await (const chunk of fetched.body) {
        at += chunk.length;
        yield chunk;
      }
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof FetchFailure) || error instanceof Refused) throw error;
      breaks = at - begun > PROGRESS_BYTES ? 1 : breaks + 1;
      if (at === 0 || !etag?.startsWith('"') || breaks > MOST_BREAKS) throw error;
      await pauseAfter(breaks, BACKOFF, signal);
      const headers = { range: `bytes=${at}-`, 'if-range': etag };
      fetched = await fetcher.get(uri, 'identity', signal, headers);
      if (isRest(fetched, first, at)) continue;
      fetched.discard();
      throw error;
    }
  }
}

/** Whether a response continues the same representation at this byte. */
function isRest({ status, headers }: Fetched, first: Fetched, at: number): boolean {
  const isSame = (name: string) => (headers[name] ?? first.headers[name]) === first.headers[name];
  return (
    status === 206 &&
    headers['content-range']?.startsWith(`bytes ${at}-`) === true &&
    isSame('etag') &&
    isSame('content-encoding')
  );
}
