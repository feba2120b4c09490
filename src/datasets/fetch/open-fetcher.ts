import type { LookupFunction } from 'node:net';
import { type Fetched as Answer, FetchFailure, TookTooLong } from '../../client/read/fetcher.ts';
import { PoliteFetcher } from '../../client/read/polite-fetcher.ts';
import type { HostFile } from '../../config/dataset-values.ts';
import { IngestFailure } from '../ingest-failure.ts';
import type { DatasetFetcher, Fetched, FetchOptions } from './dataset-fetcher.ts';
import { decodedBody } from './decoded-body.ts';
import { BrokenBody, ingestFailureOf, NETWORK_ADVICE } from './fetch-failure.ts';
import { PlatformTokens } from './platform-tokens.ts';
import { shownUrl } from './shown-url.ts';

export interface FetcherOptions {
  /** Private networks in which any host may be requested, as addresses or in CIDR notation. */
  readonly networks: readonly string[];
  /** Files with tokens of platforms, which are read when they are used. */
  readonly tokens: readonly HostFile[];
  /** An address for the header User-Agent, such as that of the administrator. */
  readonly contact?: string | undefined;
  /** How often a request is sent in all when there is no answer, or 429, or 5xx; 4 by default. */
  readonly attempts?: number;
  /** Milliseconds that a server may send nothing; 30 s by default. */
  readonly idleMs?: number;
  /** Milliseconds for a landing page, or for an answer of an API; 2 minutes by default. */
  readonly pageMs?: number;
  /** Resolves names of hosts; the default is `dns.lookup`. */
  readonly lookup?: LookupFunction;
  onPause?(reason: string, ms: number): void;
}

const FILE_MS = 24 * 60 * 60_000;
const LONGEST_PAUSE_MS = 2 * 60_000;
/** To one host; those of files are others, so that a page does not wait until a file has come. */
const CONNECTIONS = 6;
const MOST_REDIRECTS = 20;

export function openFetcher(options: FetcherOptions): DatasetFetcher {
  const tokens = new PlatformTokens(options.tokens, options.networks);
  const pages = politeFetcher(options, tokens, options.pageMs ?? 2 * 60_000);
  const files = politeFetcher(options, tokens, FILE_MS);
  return {
    async get(url, asked) {
      const fetcher = asked.unanswered === 'file-not-fetched' ? files : pages;
      try {
        await tokens.prepare(requireUrl(url));
        return fetchedOf(await fetcher.get(url, 'identity', asked.signal, headersOf(asked)), asked);
      } catch (error) {
        asked.signal.throwIfAborted();
        throw ingestFailureOf(error, url, asked.unanswered);
      }
    },
    close() {
      pages.close();
      files.close();
    },
  };
}

function politeFetcher(options: FetcherOptions, tokens: PlatformTokens, responseMs: number): PoliteFetcher {
  const { networks, contact, attempts = 4, idleMs = 30_000, lookup, onPause } = options;
  return new PoliteFetcher({
    ...{ attempts, idleMs, responseMs, contact, lookup, onPause },
    rate: Number.POSITIVE_INFINITY,
    connections: CONNECTIONS,
    retriesUnanswered: true,
    longestPauseMs: LONGEST_PAUSE_MS,
    privateNetworks: networks,
    hosts: {
      isNamed: () => false,
      redirectProblem: (_from, to) => redirectProblem(to),
      privateAdvice: () => NETWORK_ADVICE,
    },
    headersFor: (url, isFromElsewhere) => tokens.headersFor(url, isFromElsewhere),
    mostRedirects: MOST_REDIRECTS,
    recordsHops: true,
  });
}

/** @throws IngestFailure `bad-url` */
function requireUrl(text: string): URL {
  const url = URL.parse(text);
  const problem = url === null ? 'it is not a URL' : urlProblem(url);
  if (problem === undefined) return url!;
  throw new IngestFailure('bad-url', `${shownUrl(text)} cannot be fetched: ${problem}`);
}

function redirectProblem(to: URL): string | undefined {
  const problem = urlProblem(to);
  return problem && `it was redirected to ${shownUrl(to.href)}: ${problem}`;
}

function urlProblem({ protocol, username, password }: URL): string | undefined {
  if (protocol !== 'http:' && protocol !== 'https:') return `it has the scheme ${protocol}, neither http: nor https:`;
  return username + password === '' ? undefined : 'it has a name or a password in it: leave them out';
}

function headersOf({ accept, resume }: FetchOptions): Record<string, string> {
  return {
    ...(accept !== undefined && { accept }),
    ...(resume !== undefined && { range: `bytes=${resume.from}-`, 'if-range': resume.etag }),
  };
}

function fetchedOf(answer: Answer, asked: FetchOptions): Fetched {
  const { uri, status, headers, hops = [] } = answer;
  return {
    ...{ url: uri, status, headers, hops },
    body: bodyOf(answer, asked),
    discard: () => answer.discard(),
  };
}

/** @throws BrokenBody; IngestFailure after the longest time, which another request would take, too */
async function* bodyOf(answer: Answer, { signal, unanswered }: FetchOptions): AsyncGenerator<Uint8Array> {
  const codings = answer.headers['content-encoding'];
  try {
    yield* codings === undefined ? answer.body : decodedBody(answer.body, codings);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof FetchFailure)) throw error;
    const Failure = error instanceof TookTooLong ? IngestFailure : BrokenBody;
    throw new Failure(unanswered, `${shownUrl(answer.uri)} cannot be read: ${error.message}`, { cause: error });
  } finally {
    answer.discard();
  }
}
