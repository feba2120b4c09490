import { type Fetched, FetchFailure, PrivateHost, Refused } from '../../../client/read/fetcher.ts';
import type { PoliteFetcher } from '../../../client/read/polite-fetcher.ts';
import { ReadFailure } from '../../../client/read/read-failure.ts';
import { unpacked } from '../../../client/read/unpacked.ts';
import { TidemarkError } from '../../../core/errors.ts';

export interface OaiClientOptions {
  /** Private networks in which repositories may be requested, as addresses or in CIDR notation. */
  readonly networks: readonly string[];
  /** Most bytes of an answer, unpacked. */
  readonly mostBytes: number;
  /** How often a request is sent in all. */
  readonly attempts: number;
  /** Whether that also holds as long as nothing was ever answered: the address is known to be right. */
  readonly retriesUnanswered?: boolean;
  /** Longest time without a byte; a minute by default. */
  readonly idleMs?: number;
  /** Longest time of an answer; half an hour by default. */
  readonly responseMs?: number;
  onPause?(reason: string, ms: number): void;
}

const IDLE_MS = 60_000;
const RESPONSE_MS = 30 * 60_000;
/** A repository that asks for a longer pause has failed. */
const LONGEST_PAUSE_MS = 60 * 60_000;

/** Why an answer cannot be used, or does not come. `reason` is without the address. */
export class OaiFailure extends TidemarkError {
  readonly reason: string;

  constructor(url: string, reason: string, cause: unknown) {
    super('invalid', `${url} cannot be harvested: ${reason}`, { field: 'baseUrl' }, cause);
    this.reason = reason;
  }
}

/** Sends requests to repositories, one at a time, and repeats those that fail for now. */
export class OaiClient {
  readonly #options: OaiClientOptions;
  #fetcher: Promise<PoliteFetcher> | undefined;

  constructor(options: OaiClientOptions) {
    this.#options = options;
  }

  /**
   * Requests a URL, and reads its answer.
   * @param take reads the unpacked bytes to their end; after a FetchFailure it is called again, with those of another
   *   answer
   * @throws OaiFailure after the last attempt; other errors than ReadFailure as `take` throws them; the signal's reason
   */
  async read<Result>(
    url: string,
    signal: AbortSignal,
    take: (chunks: AsyncIterable<Buffer>) => Promise<Result>,
  ): Promise<Result> {
    // Loaded with the first request: most servers never harvest.
    this.#fetcher ??= openFetcher(this.#options);
    const fetcher = await this.#fetcher;
    const { mostBytes } = this.#options;
    const taking = async (fetched: Fetched) => {
      try {
        requireOk(fetched);
        return await take(unpacked(fetched, mostBytes));
      } finally {
        fetched.discard();
      }
    };
    try {
      return await fetcher.read({ uri: url, encoding: 'gzip', take: taking }, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof ReadFailure
        ? new OaiFailure(shown(url), `${error.message}${remedyOf(error)}`, error)
        : error;
    }
  }

  async close(): Promise<void> {
    (await this.#fetcher)?.close();
  }
}

async function openFetcher(options: OaiClientOptions): Promise<PoliteFetcher> {
  const { PoliteFetcher } = await import('../../../client/read/polite-fetcher.ts');
  const {
    networks,
    attempts,
    retriesUnanswered = false,
    idleMs = IDLE_MS,
    responseMs = RESPONSE_MS,
    onPause,
  } = options;
  return new PoliteFetcher({
    ...{ attempts, retriesUnanswered, idleMs, responseMs, onPause },
    rate: Number.POSITIVE_INFINITY,
    connections: 1,
    longestPauseMs: LONGEST_PAUSE_MS,
    privateNetworks: networks,
    hosts: {
      isNamed: () => false,
      redirectProblem,
      privateAdvice: () => 'have its network allowed first, by the setting --harvest-networks',
    },
  });
}

function redirectProblem(from: URL, to: URL): string | undefined {
  if (to.host === from.host && to.protocol === from.protocol) return undefined;
  const moved = shown(to.href);
  return `it was redirected to ${moved}: if that is the repository, make it the base URL of the collection`;
}

/** @throws ReadFailure for an answer that is none of OAI-PMH */
function requireOk({ status }: Fetched): void {
  if (status === 200) return;
  const why = status === 404 || status === 410 ? ': the base URL is probably wrong' : '';
  const access = status === 401 || status === 403 ? ': its owner has to let this machine in' : '';
  throw new ReadFailure(`the server answers ${status}${why}${access}`);
}

function remedyOf(error: ReadFailure): string {
  if (error instanceof PrivateHost || !(error instanceof FetchFailure)) return '';
  const isCertificate = error instanceof Refused && error.message.includes('certificate');
  return isCertificate ? '. If you trust it, name the file of its issuer in NODE_EXTRA_CA_CERTS' : '';
}

/** Without arguments: tokens may be long. */
const shown = (url: string): string => url.replace(/\?.*$/s, '');
