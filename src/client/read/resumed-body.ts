import { pauseAfter } from '../../lib/calls/retry.ts';
import { type Fetched, FetchFailure, Refused } from './fetcher.ts';
import type { Reader } from './source-reader.ts';

/** A break after more bytes than these is not counted: on a bad connection, a long resource breaks often. */
const PROGRESS_BYTES = 1024 * 1024;
const MOST_BREAKS = 5;
const BACKOFF = { firstMs: 200, longestMs: 5_000 };

/**
 * Yields the bytes of a response. When its connection breaks, it requests the rest (RFC 9110, 13.1.5 and 14.2), if the
 * response has a strong ETag, so that the rest is of the same bytes. A server may send the rest in several parts
 * (15.3.7).
 * @param uri the requested URI
 * @throws FetchFailure when the rest cannot be fetched
 */
export async function* resumedBody(
  uri: string,
  first: Fetched,
  { fetcher, signal }: Pick<Reader, 'fetcher' | 'signal'>,
): AsyncGenerator<Uint8Array> {
  const { etag } = first.headers;
  let total = numberIn(first.headers['content-length']);
  let at = 0;
  let breaks = 0;
  for (let fetched = first; ; ) {
    const begun = at;
    let problem: FetchFailure;
    try {
      for await (const chunk of fetched.body) {
        at += chunk.length;
        yield chunk;
      }
      if (total === undefined || at >= total) return;
      problem = new FetchFailure(`it ends after ${at} of ${total} bytes`);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof FetchFailure) || error instanceof Refused) throw error;
      problem = error;
    }
    breaks = at - begun > PROGRESS_BYTES ? 1 : breaks + 1;
    if (at === 0 || !etag?.startsWith('"') || breaks > MOST_BREAKS) throw problem;
    await pauseAfter(breaks, BACKOFF, signal);
    fetched = await fetcher.get(uri, 'identity', signal, { range: `bytes=${at}-`, 'if-range': etag });
    const whole = numberIn(/\/(\d+)$/.exec(fetched.headers['content-range'] ?? '')?.[1]);
    if (!isRest(fetched, first, at) || (total ?? whole) !== (whole ?? total)) {
      fetched.discard();
      throw problem;
    }
    total ??= whole;
  }
}

const numberIn = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));

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
