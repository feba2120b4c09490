import { createHash } from 'node:crypto';
import { FetchFailure } from '../../../client/read/fetcher.ts';
import { codingsIn } from '../../../lib/http/content-codings.ts';
import { decodedBody } from '../../fetch/decoded-body.ts';
import { base32Of } from '../base32.ts';
import { MayPass, type Timing, withAttempts } from './attempts.ts';
import type { Capture } from './cdx.ts';
import { type Service, serviceFailure } from './service.ts';

/** Not there yet, or overloaded. */
const PASSING = new Set([404, 429, 500, 502, 503, 504]);

interface Replaying {
  readonly service: Service;
  readonly timing: Timing;
  readonly signal: AbortSignal;
}

/** The address of a capture as it was received: `id_`, without banner and rewritten links. */
const replayPath = ({ timestamp, url }: Pick<Capture, 'timestamp' | 'url'>): string =>
  `web/${timestamp}id_/${url.replace(/#.*$/s, '')}`;

/**
 * Reads the bytes of a capture, and compares them with the digest in the index. Begins again some times.
 * @param take reads the body, unpacked, to its end; called again when a replay fails
 * @throws IngestFailure `error-backend`; what `take` throws
 */
export async function replay<Result>(
  capture: Capture,
  { service, timing, signal }: Replaying,
  take: (body: AsyncIterable<Uint8Array>, mimetype: string | undefined) => Promise<Result>,
): Promise<Result> {
  const failed = (problem: string) =>
    new MayPass(serviceFailure(service, `${problem} ${capture.url} of ${capture.timestamp}: try again later`));
  return withAttempts(
    async () => {
      const fetched = await service.get(replayPath(capture), signal);
      if (fetched.status !== 200 && fetched.status !== 203) {
        fetched.discard();
        const failure = failed(`answers ${fetched.status} for its own capture of`);
        throw PASSING.has(fetched.status) ? failure : failure.failure;
      }
      const digests = new BodyDigests();
      const codings = codingsIn(fetched.headers['content-encoding']);
      const received = digests.tap(fetched.body, 'received');
      const body = codings === '' ? received : digests.tap(decodedBody(received, codings), 'unpacked');
      try {
        const result = await take(body, fetched.headers['content-type']?.split(';')[0]?.trim().toLowerCase());
        // An archive may have the body packed or unpacked, and replay the other.
        if (!digests.has(capture.digest)) throw failed('replays other bytes than its index states for the capture of');
        return result;
      } catch (error) {
        fetched.discard();
        throw error instanceof FetchFailure ? failed(`broke off (${error.message}) in its capture of`) : error;
      }
    },
    { ...timing, signal },
  );
}

/** SHA-1 of a body as it was received, and unpacked. */
class BodyDigests {
  readonly #hashes = { received: createHash('sha1'), unpacked: createHash('sha1') };

  async *tap(chunks: AsyncIterable<Uint8Array>, which: 'received' | 'unpacked'): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.#hashes[which].update(chunk);
      yield chunk;
    }
  }

  has(digest: string): boolean {
    return Object.values(this.#hashes).some((hash) => base32Of(hash.digest('hex')) === digest);
  }
}
