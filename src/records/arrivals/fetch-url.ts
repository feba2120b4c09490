import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { type Fetched, FetchFailure, PrivateHost, Refused } from '../../client/read/fetcher.ts';
import { retryAfterMs } from '../../client/read/polite-fetcher.ts';
import { TidemarkError } from '../../core/errors.ts';
import { formatBytes } from '../../lib/format-bytes.ts';
import { fetchedName } from './fetched-name.ts';
import { storeFile } from './store-file.ts';
import { requireUrl, shownUrl, type Upload, type UploadedFile } from './upload.ts';

export interface FetchOptions {
  readonly artifacts: Pick<ArtifactStore, 'put'>;
  /** Private networks that may be requested, as addresses or in CIDR notation. */
  readonly networks: readonly string[];
  readonly signal: AbortSignal;
  /** Most bytes of the file; 10 GB by default. */
  readonly mostBytes?: number | undefined;
  /** Longest time without a byte from the server, also while connecting; 60 s by default. */
  readonly idleMs?: number | undefined;
  /** Longest time for the whole file; 24 hours by default. */
  readonly longestMs?: number | undefined;
  /** @param total bytes, when the server states the length */
  onProgress?(done: number, total: number | undefined): void;
}

const MOST_FETCHED_BYTES = 10 * 1024 ** 3;
const IDLE_MS = 60_000;
/** Longest time for the whole file, which is as long as an upload may take. */
export const LONGEST_FETCH_MS = 24 * 3_600_000;
/** Statuses that may differ in a later attempt, besides failures of the server (5xx). */
const PASSING = new Set([408, 425, 429]);

/**
 * Fetches the file of an upload by URL, and stores it. When that fails, nothing is stored.
 * @throws TidemarkError `invalid` for permanent errors: a private address, an invalid response, a file that is too
 *   large; `unavailable` for temporary ones: no response, a busy server, a file that breaks off; what the artifact
 *   store throws; the signal's reason
 */
export async function fetchUpload(
  upload: Pick<Upload, 'organization' | 'url'>,
  options: FetchOptions,
): Promise<readonly UploadedFile[]> {
  const { networks, signal, idleMs = IDLE_MS, longestMs = LONGEST_FETCH_MS } = options;
  const { url = '' } = upload;
  requireUrl(url);
  signal.throwIfAborted();
  // Loaded with the first fetch: most servers never fetch.
  const { HttpFetcher } = await import('../../client/read/http-fetcher.ts');
  const fetcher = new HttpFetcher({
    privateNetworks: networks,
    idleMs,
    responseMs: longestMs,
    connections: 1,
    redirectProblem: (_from, to) => schemeProblem(to),
  });
  try {
    const fetched = await fetcher.get(url, 'identity', signal, { accept: '*/*' });
    return [await stored(fetched, upload, options)];
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof FetchFailure ? failed(url, error) : error;
  } finally {
    fetcher.close();
  }
}

async function stored(
  fetched: Fetched,
  { organization }: Pick<Upload, 'organization'>,
  options: FetchOptions,
): Promise<UploadedFile> {
  const { headers, uri, discard } = fetched;
  const { artifacts, signal, mostBytes = MOST_FETCHED_BYTES } = options;
  try {
    requireFile(fetched);
    const total = headers['content-length'] === undefined ? undefined : Number(headers['content-length']);
    if (total !== undefined && total > mostBytes) throw tooLarge(uri, mostBytes);
    const name = fetchedName(uri, headers['content-disposition']);
    return await storeFile(name, counted(fetched, total, options), { artifacts, organization, signal });
  } finally {
    discard();
  }
}

async function* counted(
  { body, uri }: Fetched,
  total: number | undefined,
  { mostBytes = MOST_FETCHED_BYTES, onProgress }: FetchOptions,
): AsyncGenerator<Uint8Array> {
  let done = 0;
  for await (const chunk of body) {
    done += chunk.length;
    if (done > mostBytes) throw tooLarge(uri, mostBytes);
    onProgress?.(done, total);
    yield chunk;
  }
  if (total !== undefined && done !== total) throw new FetchFailure(`it ended after ${done} of ${total} bytes`);
}

/** @throws TidemarkError for a response that is not the file */
function requireFile(fetched: Pick<Fetched, 'uri' | 'status' | 'headers'>): void {
  const { uri, status } = fetched;
  if (status === 200 || status === 203) return;
  const code = status >= 500 || PASSING.has(status) ? 'unavailable' : 'invalid';
  const details = { status, retryAfterMs: retryAfterMs(fetched) };
  throw new TidemarkError(code, `${shownUrl(uri)} was not fetched: the server answered ${status}`, details);
}

function schemeProblem({ protocol }: URL): string | undefined {
  if (/^https?:$/.test(protocol)) return undefined;
  return `it was redirected to a URL with the scheme ${protocol}, which is neither http nor https`;
}

function failed(url: string, failure: FetchFailure): TidemarkError {
  const code = failure instanceof Refused ? 'invalid' : 'unavailable';
  const message = `${shownUrl(url)} was not fetched: ${failure.message}${remedyOf(failure)}`;
  return new TidemarkError(code, message, {}, failure);
}

/** Advice for a permanent error: trying again does not help. */
function remedyOf(failure: FetchFailure): string {
  if (failure instanceof PrivateHost) return ': have its network allowed first, by the setting --upload-networks';
  return failure instanceof Refused ? ': upload the file by a URL that leads to it, or send the file itself' : '';
}

function tooLarge(url: string, most: number): TidemarkError {
  const message = `${shownUrl(url)} was not fetched: it has more than ${formatBytes(most)}, the largest that is fetched (--upload-fetch-size)`;
  return new TidemarkError('invalid', message);
}
