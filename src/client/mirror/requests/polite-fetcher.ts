import { setTimeout as wait } from 'node:timers/promises';
import { backoffMs } from '../../../lib/retry.ts';
import {
  type Fetched,
  type Fetcher,
  FetchFailure,
  PrivateHost,
  Refused,
  type RequestHeaders,
} from '../../read/fetcher.ts';
import { HttpFetcher, type HttpFetcherOptions } from '../../read/http-fetcher.ts';
import { allow, type Hosts } from './hosts.ts';

export interface PoliteOptions extends Omit<HttpFetcherOptions, 'privateNetworks' | 'redirectProblem'> {
  readonly hosts: Hosts;
  /** Requests a second at most; Infinity. */
  readonly rate: number;
  /** How often a request is sent that the server does not answer now. */
  readonly attempts: number;
  /** Called before a pause. @param ms how long it is */
  readonly onPause?: ((reason: string, ms: number) => void) | undefined;
}

const BACKOFF = { firstMs: 500, longestMs: 60_000 };
/** For a longer pause, the request fails; it is not sent again before its time. */
const LONGEST_PAUSE_MS = 10 * 60_000;
/** A Retry-After of a year is probably a mistake. */
const LONGEST_REFUSAL_MS = 60 * 60_000;
const PASSING = new Set([429, 500, 502, 503, 504]);

/**
 * Sends no more requests than a server wants: connections to each host, requests a second, and pauses after an answer
 * that may pass. Hosts that no person has named are requested only when their address is in no private network.
 */
export class PoliteFetcher implements Fetcher {
  readonly #options: PoliteOptions;
  readonly #named: HttpFetcher;
  readonly #others: HttpFetcher;
  /** When the next request may be sent, by the rate. */
  #next = 0;
  /** Where nothing ever answered, the URL is probably wrong, and waiting does not help. */
  #hasAnswered = false;
  /** Nothing is requested of a host before. */
  readonly #pausedUntil = new Map<string, number>();
  /** When a URI may be requested again whose last answer said so: a later pass does not ask before. */
  readonly #refusedUntil = new Map<string, number>();

  constructor(options: PoliteOptions) {
    this.#options = options;
    const redirectProblem = (from: URL, to: URL) => options.hosts.redirectProblem(from, to);
    this.#named = new HttpFetcher({ ...options, redirectProblem, privateNetworks: 'all' });
    this.#others = new HttpFetcher({ ...options, redirectProblem, privateNetworks: [] });
  }

  async get(
    uri: string,
    encoding: 'gzip' | 'identity',
    signal: AbortSignal,
    headers?: RequestHeaders,
  ): Promise<Fetched> {
    const url = URL.canParse(uri) ? new URL(uri) : undefined;
    const host = url?.host ?? '';
    const fetcher = url === undefined || this.#options.hosts.isNamed(url) ? this.#named : this.#others;
    this.#requireDue(uri);
    for (let failures = 1; ; failures++) {
      await this.#turn(host, signal);
      const isLast = failures >= this.#options.attempts;
      try {
        const fetched = await fetcher.get(uri, encoding, signal, headers);
        this.#hasAnswered = true;
        if (!PASSING.has(fetched.status)) return fetched;
        const after = retryAfterMs(fetched);
        const ms = after || backoffMs(failures, BACKOFF);
        if (isLast || ms > LONGEST_PAUSE_MS) {
          if (after > 0) this.#refusedUntil.set(uri, Date.now() + Math.min(after, LONGEST_REFUSAL_MS));
          return fetched;
        }
        fetched.discard();
        this.#pause(host, `the server answers ${fetched.status}`, ms);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof PrivateHost)
          throw new Refused(`${error.message}: to read it all the same, ${allow(host)}`);
        if (!(error instanceof FetchFailure) || error instanceof Refused) throw error;
        if (isLast || !this.#hasAnswered) throw error;
        this.#pause(host, error.message, backoffMs(failures, BACKOFF));
      }
    }
  }

  close(): void {
    this.#named.close();
    this.#others.close();
  }

  #requireDue(uri: string): void {
    const until = this.#refusedUntil.get(uri);
    if (until === undefined) return;
    if (until > Date.now()) {
      throw new FetchFailure(`the server asks for no request before ${new Date(until).toISOString()}`);
    }
    this.#refusedUntil.delete(uri);
  }

  /** Waits until the next request may be sent. */
  async #turn(host: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    for (let ms = this.#pauseLeft(host); ms > 0; ms = this.#pauseLeft(host)) await pause(ms, signal);
    const { rate } = this.#options;
    if (rate === Number.POSITIVE_INFINITY) return;
    const at = Math.max(this.#next, Date.now());
    this.#next = at + 1000 / rate;
    if (at > Date.now()) await pause(at - Date.now(), signal);
  }

  #pauseLeft(host: string): number {
    return this.#pausedUntil.size === 0 ? 0 : (this.#pausedUntil.get(host) ?? 0) - Date.now();
  }

  /** All requests to this host wait, not only the one that was answered so. */
  #pause(host: string, reason: string, ms: number): void {
    this.#options.onPause?.(reason, ms);
    this.#pausedUntil.set(host, Math.max(this.#pausedUntil.get(host) ?? 0, Date.now() + ms));
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}

/** By the header Retry-After (RFC 9110, 10.2.3); 0 when it says nothing. */
function retryAfterMs({ headers }: Fetched): number {
  const after = headers['retry-after'] ?? '';
  if (/^\d{1,9}$/.test(after)) return Number(after) * 1000;
  const date = Date.parse(after);
  return Number.isNaN(date) ? 0 : Math.max(0, date - Date.now());
}
