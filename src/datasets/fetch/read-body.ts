import { retry } from '../../lib/calls/retry.ts';
import type { DatasetFetcher, Fetched, FetchOptions } from './dataset-fetcher.ts';
import { BrokenBody } from './fetch-failure.ts';

export interface ReadBytes {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether there were more, which were not read. */
  readonly isCut: boolean;
}

/** Reads the first bytes of a body, and closes its connection when there are more. @throws IngestFailure as the body */
export async function readBytes({ body }: Pick<Fetched, 'body'>, most: number): Promise<ReadBytes> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > most) break;
  }
  const bytes = new Uint8Array(Math.min(length, most));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk.subarray(0, bytes.length - at), at);
    at += chunk.length;
  }
  return { bytes, isCut: length > most };
}

const ATTEMPTS = 3;
const BACKOFF = { firstMs: 200, longestMs: 2_000 };

/**
 * Requests a URL and reads its response; when the body breaks off, it is requested again.
 * @throws IngestFailure; what `read` throws
 */
export async function fetchAndRead<Result>(
  fetcher: DatasetFetcher,
  { url, ...options }: FetchOptions & { readonly url: string },
  read: (fetched: Fetched) => Promise<Result>,
): Promise<Result> {
  const attempt = async () => {
    const fetched = await fetcher.get(url, options);
    try {
      return await read(fetched);
    } finally {
      fetched.discard();
    }
  };
  const isTemporary = (error: unknown, failures: number) => error instanceof BrokenBody && failures < ATTEMPTS;
  return retry(attempt, { ...BACKOFF, isTemporary, signal: options.signal });
}
