import type { DatasetFetcher, Fetched, Hop } from '../fetch/dataset-fetcher.ts';
import { mediaTypeOf } from '../fetch/media-type-of.ts';
import { IngestFailure } from '../ingest-failure.ts';
import type { PlatformFile } from '../manifest.ts';
import type { ByteBudget } from './byte-budget.ts';
import { requireFile } from './judge-response.ts';
import { resumedFile } from './resumed-file.ts';

/** How a file is fetched. */
interface FileFetching {
  readonly fetcher: DatasetFetcher;
  readonly signal: AbortSignal;
  readonly budget: ByteBudget;
  /** The file may have another size than its platform states. */
  readonly acceptMismatch: boolean;
  /** Called with the number of new bytes. */
  readonly onBytes: (count: number) => void;
}

/** A response with the bytes of a file. */
interface FetchedFile {
  /** After redirects, as it was requested: for a web archive alone, since it may be signed. */
  readonly url: string;
  readonly headers: Fetched['headers'];
  readonly mimetype: string | undefined;
  /** The redirects, and the response whose body it is. */
  readonly hops: readonly Hop[];
  /**
   * All bytes, whose number and limits are checked; read it once, to its end or until an error. Throws IngestFailure.
   */
  readonly body: AsyncIterable<Uint8Array>;
  discard(): void;
}

/**
 * Fetches a file of a platform, for every backend. A body that breaks off is resumed some times, so what ends was sent
 * to its end. The caller compares size and hashes.
 * @throws IngestFailure `file-not-fetched`, and as `requireFile`; of the body `too-large-size`, too
 */
export async function fetchFile(file: PlatformFile, fetching: FileFetching): Promise<FetchedFile> {
  const { platformUrl, path } = file;
  if (platformUrl === undefined) {
    const message = `the platform has no URL for ${path} alone: ingest the dataset with --bundle`;
    throw new IngestFailure('bad-manifest', message);
  }
  const request = (resume?: { from: number; etag: string }): Promise<Fetched> =>
    fetching.fetcher.get(platformUrl, {
      signal: fetching.signal,
      unanswered: 'file-not-fetched',
      ...(resume !== undefined && { resume }),
    });
  const first = await request();
  try {
    requireFile(file, first, fetching.acceptMismatch);
  } catch (error) {
    first.discard();
    throw error;
  }
  const { url, headers, hops } = first;
  const mimetype = mediaTypeOf(headers['content-type']) || undefined;
  const count = fetching.budget.counter(file, { ...fetching, mimetype });
  const body = counted(resumedFile(file, first, { ...fetching, request }), [count, fetching.onBytes]);
  return { url, headers, hops, mimetype, body, discard: () => first.discard() };
}

async function* counted(
  body: AsyncIterable<Uint8Array>,
  counters: readonly ((bytes: number) => void)[],
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of body) {
    for (const count of counters) count(chunk.length);
    yield chunk;
  }
}
