import { setTimeout as wait } from 'node:timers/promises';
import { backoffMs } from '../../../lib/retry.ts';
import { type Fetched, type Fetcher, FetchFailure, Refused, type RequestHeaders } from '../../read/fetcher.ts';
import { HttpFetcher, type HttpFetcherOptions } from '../../read/http-fetcher.ts';
import type { Hosts } from './hosts.ts';

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
/** A server that wants a longer pause is asked again in the next pass. */
const LONGEST_PAUSE_MS = 10 * 60_000;
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
    for (let failures = 1; ; failures++) {
      await this.#turn(host, signal);
      const isLast = failures >= this.#options.attempts;
      try {
        const fetched = await fetcher.get(uri, encoding, signal, headers);
        this.#hasAnswered = true;
        const ms = PASSING.has(fetched.status) ? pauseOf(fetched, failures) : undefined;
        if (ms === undefined || isLast || ms > LONGEST_PAUSE_MS) return fetched;
        fetched.discard();
        this.#pause(host, `the server answers ${fetched.status}`, ms);
      } catch (error) {
        signal.throwIfAborted();
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

/** Milliseconds, by the header Retry-After (RFC 9110, 10.2.3). */
function pauseOf({ headers }: Fetched, failures: number): number {
  const after = headers['retry-after'] ?? '';
  if (/^\d{1,9}$/.test(after)) return Number(after) * 1000 || backoffMs(failures, BACKOFF);
  const date = Date.parse(after);
  return Number.isNaN(date) ? backoffMs(failures, BACKOFF) : Math.max(0, date - Date.now());
}
