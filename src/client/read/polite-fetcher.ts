import { setTimeout as wait } from 'node:timers/promises';
import { backoffMs } from '../../lib/calls/retry.ts';
import {
  type Fetched,
  type Fetcher,
  FetchFailure,
  NoAnswer,
  PrivateHost,
  Refused,
  type RequestHeaders,
} from './fetcher.ts';
import { HttpFetcher, type HttpFetcherOptions } from './http-fetcher.ts';
import type { NamedHosts } from './named-hosts.ts';

interface PoliteOptions extends Omit<HttpFetcherOptions, 'privateNetworks' | 'isTrusted' | 'redirectProblem'> {
  readonly hosts: Pick<NamedHosts, 'isNamed' | 'redirectProblem' | 'privateAdvice'>;
  /** The private networks in which any host may be requested, as addresses or in CIDR notation; none by default. */
  readonly privateNetworks?: readonly string[];
  /** Most requests a second; may be Infinity. */
  readonly rate: number;
  /** Whether `rate` is that of each host, not of all hosts together. */
  readonly hasRatePerHost?: boolean;
  /** Whether redirects to hosts that the user has not named are followed, if these are not in a private network. */
  readonly followsToOtherHosts?: boolean;
  /** How often a request is sent in all when the server is temporarily unavailable. */
  readonly attempts: number;
  /** Whether a request is also sent again when no request was ever answered; the default is that the URL is wrong. */
  readonly retriesUnanswered?: boolean;
  /** If the server asks for a longer pause, the request fails, and is not sent again before the pause is over. */
  readonly longestPauseMs?: number;
  /**
   * Called before a pause.
   * @param ms length of the pause
   */
  readonly onPause?: ((reason: string, ms: number) => void) | undefined;
}

/** A request, and what makes a result of its response. */
interface RequestedResult<Result> {
  readonly uri: string;
  readonly encoding: 'gzip' | 'identity';
  readonly headers?: RequestHeaders | undefined;
  /** Called with each response of a server that is not overloaded. After a FetchFailure, the request is repeated. */
  take(fetched: Fetched): Promise<Result>;
}

const BACKOFF = { firstMs: 500, longestMs: 60_000 };
const LONGEST_PAUSE_MS = 10 * 60_000;
/** A Retry-After of a year is probably a mistake. */
const LONGEST_REFUSAL_MS = 60 * 60_000;
const PASSING = new Set([429, 500, 502, 503, 504]);

/** A server has asked for a pause, which is not over. */
class NotBefore extends FetchFailure {}

/**
 * Limits requests to what a server can take: connections to each host, requests a second, and pauses after a temporary
 * error. Hosts that the user has not named are requested only if their address is not in a private network.
 */
export class PoliteFetcher implements Fetcher {
  readonly #options: PoliteOptions;
  readonly #fetcher: HttpFetcher;
  /**
   * By host, or for all hosts: the earliest time of the next request, by the rate; by `performance.now()`, as the clock
   * may be set.
   */
  readonly #next = new Map<string, number>();
  /** If no request was ever answered, the URL is probably wrong, and waiting does not help. */
  #hasAnswered = false;
  /** By host: no request is sent before this time, by `performance.now()`. */
  readonly #pausedUntil = new Map<string, number>();
  /**
   * By URI: when it may be requested again, as its last response said. Later passes do not request it before. By host:
   * when it may get any request again.
   */
  readonly #refusedUntil = new Map<string, number>();

  constructor(options: PoliteOptions) {
    this.#options = options;
    const { hosts, followsToOtherHosts, privateNetworks = [] } = options;
    this.#fetcher = new HttpFetcher({
      ...options,
      privateNetworks,
      isTrusted: (url, from) => hosts.isNamed(url) || (from?.hostname === url.hostname && hosts.isNamed(from)),
      beforeRedirect: async ({ host }, signal) => {
        await this.#waitOut(host, signal);
        this.#requireDue(host);
      },
      redirectProblem: (from, to) => (followsToOtherHosts === true ? undefined : hosts.redirectProblem(from, to)),
    });
  }

  get(uri: string, encoding: 'gzip' | 'identity', signal: AbortSignal, headers?: RequestHeaders): Promise<Fetched> {
    return this.read({ uri, encoding, headers, take: async (fetched) => fetched }, signal);
  }

  /**
   * As `get`, for the body as well: a body that breaks off is requested again.
   * @throws what `take` throws; FetchFailure
   */
  async read<Result>({ uri, encoding, headers, take }: RequestedResult<Result>, signal: AbortSignal): Promise<Result> {
    const { attempts, longestPauseMs = LONGEST_PAUSE_MS, hosts, retriesUnanswered } = this.#options;
    const host = URL.canParse(uri) ? new URL(uri).host : '';
    this.#requireDue(uri);
    for (let failures = 1; ; failures++) {
      await this.#waitToSend(host, signal);
      this.#requireDue(host);
      const isLast = failures >= attempts;
      try {
        const fetched = await this.#fetcher.get(uri, encoding, signal, headers);
        this.#hasAnswered = true;
        if (!PASSING.has(fetched.status)) return await take(fetched);
        // A host that redirects has answered: only that of the response is paused.
        const { host: paused } = new URL(fetched.uri);
        const after = retryAfterMs(fetched);
        const ms = after || backoffMs(failures, BACKOFF);
        if (isLast || ms > longestPauseMs) {
          // Too many requests (RFC 6585, 4) are those of all resources.
          const refused = fetched.status === 429 && ms > longestPauseMs ? paused : uri;
          if (after > 0) this.#refusedUntil.set(refused, performance.now() + Math.min(after, LONGEST_REFUSAL_MS));
          return await take(fetched);
        }
        fetched.discard();
        this.#pause(paused, `the server answers ${fetched.status}`, ms);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof PrivateHost)
          throw new Refused(`${error.message}: to read it all the same, ${hosts.privateAdvice(host)}`, {
            cause: error,
          });
        if (!(error instanceof FetchFailure) || error instanceof Refused || error instanceof NotBefore) throw error;
        if (isLast || !(this.#hasAnswered || retriesUnanswered)) throw error;
        const paused = error instanceof NoAnswer ? error.host : undefined;
        this.#pause(paused ?? host, error.message, backoffMs(failures, BACKOFF));
      }
    }
  }

  close(): void {
    this.#fetcher.close();
  }

  #requireDue(uriOrHost: string): void {
    const until = this.#refusedUntil.get(uriOrHost);
    if (until === undefined) return;
    const ms = until - performance.now();
    if (ms > 0) {
      throw new NotBefore(`the server asks for no request before ${new Date(Date.now() + ms).toISOString()}`);
    }
    this.#refusedUntil.delete(uriOrHost);
  }

  /** Waits until the next request may be sent. */
  async #waitToSend(host: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.#waitOut(host, signal);
    const { rate, hasRatePerHost } = this.#options;
    if (rate === Number.POSITIVE_INFINITY) return;
    const limited = hasRatePerHost === true ? host : '';
    const now = performance.now();
    const at = Math.max(this.#next.get(limited) ?? 0, now);
    this.#next.set(limited, at + 1000 / rate);
    if (at > now) await pause(at - now, signal);
  }

  async #waitOut(host: string, signal: AbortSignal): Promise<void> {
    for (let ms = this.#pauseLeft(host); ms > 0; ms = this.#pauseLeft(host)) await pause(ms, signal);
  }

  #pauseLeft(host: string): number {
    return this.#pausedUntil.size === 0 ? 0 : (this.#pausedUntil.get(host) ?? 0) - performance.now();
  }

  /** Pauses all requests to the host, not only the one that failed. */
  #pause(host: string, reason: string, ms: number): void {
    this.#options.onPause?.(`${host}: ${reason}`, ms);
    this.#pausedUntil.set(host, Math.max(this.#pausedUntil.get(host) ?? 0, performance.now() + ms));
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}

/** Milliseconds of the header Retry-After (RFC 9110, 10.2.3); 0 without one. */
export function retryAfterMs({ headers }: Pick<Fetched, 'headers'>): number {
  const after = headers['retry-after'] ?? '';
  if (/^\d{1,9}$/.test(after)) return Number(after) * 1000;
  const date = Date.parse(after);
  return Number.isNaN(date) ? 0 : Math.max(0, date - Date.now());
}
