import { COMMAND_LIMITS } from '../../read/limits.ts';
import { NamedHosts } from '../../read/named-hosts.ts';
import { PoliteFetcher } from '../../read/polite-fetcher.ts';
import { readCredentials } from '../../read/source-credentials.ts';
import type { MirrorOptions } from '../mirror-options.ts';

export const LIMITS = {
  ...COMMAND_LIMITS,
  // Lists state lengths, which are checked as bytes arrive; this limit is for lists that do not.
  resourceBytes: 2 ** 43,
  idleMs: 60_000,
  responseMs: 24 * 60 * 60_000,
};
const ATTEMPTS = 5;
/**
 * Backoff while a followed source is unavailable: a request every 30 seconds is not a burden, and the copy recovers
 * soon.
 */
export const OUTAGE_BACKOFF = { firstMs: 1_000, longestMs: 30_000 };

export type RequestOptions = Pick<
  MirrorOptions,
  'url' | 'connections' | 'rate' | 'allowedHosts' | 'contact' | 'tokenFile' | 'netrc'
> &
  Partial<Pick<MirrorOptions, 'onPause'>>;

export interface Requests {
  readonly fetcher: PoliteFetcher;
  /** Fetches streams of changes: each stream occupies a connection. */
  readonly eventReader: PoliteFetcher;
  close(): void;
}

/**
 * Opens the fetchers for a source.
 * @throws TidemarkError `invalid` when a file with credentials cannot be read
 */
export async function openRequests(options: RequestOptions): Promise<Requests> {
  const hosts = new NamedHosts(options.url, options.allowedHosts);
  const requests = {
    hosts,
    rate: options.rate,
    connections: options.connections,
    contact: options.contact,
    attempts: ATTEMPTS,
    idleMs: LIMITS.idleMs,
    responseMs: LIMITS.responseMs,
    headersFor: await readCredentials(options, hosts),
    onPause: options.onPause,
  };
  const fetcher = new PoliteFetcher(requests);
  const eventReader = new PoliteFetcher({ ...requests, attempts: 1, connections: 1 });
  return {
    fetcher,
    eventReader,
    close() {
      fetcher.close();
      eventReader.close();
    },
  };
}
