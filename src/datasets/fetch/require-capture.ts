import { IngestFailure } from '../ingest-failure.ts';
import type { Fetched } from './dataset-fetcher.ts';
import { shownUrl } from './shown-url.ts';

const REMEDIES: Readonly<Record<number, string>> = {
  401: 'it asks for a login. What only some people may read cannot be ingested',
  403: 'it refuses programs, or asks for a login: open it in a browser, and ask its operators',
  404: 'it does not exist: check the URL, or the DOI',
  410: 'it was removed there',
  429: 'it gets too many requests: try again later, with fewer at the same time',
  451: 'it is withheld for legal reasons',
};

/** What to do about the status of a response, for the end of a message. */
export function remedyOf(status: number): string {
  const isOff = status >= 500;
  return REMEDIES[status] ?? (isOff ? 'the server has a problem: try again later' : 'open it in a browser');
}

/** Whether a later request may have another response. */
export const isPassing = (status: number): boolean => status === 429 || status >= 500;

/** Discards a challenge, which only a browser can answer (d17). @throws IngestFailure `blocked-challenge` */
export function refuseChallenge(fetched: Fetched): void {
  const { status, headers } = fetched;
  const isChallenge = status === 202 || 'x-amzn-waf-action' in headers || headers['cf-mitigated'] === 'challenge';
  if (!isChallenge) return;
  fetched.discard();
  throw challengeFailure(fetched.url, `answers ${status}, with a challenge that only a browser can answer`);
}

/** @param what the server does */
export function challengeFailure(url: string, what: string): IngestFailure {
  const remedy = 'ask its operators to let this program in, or try from another network';
  return new IngestFailure('blocked-challenge', `${shownUrl(url)} ${what}: ${remedy}`);
}

/**
 * Discards a response that is no capture: one has the status 200 or 203 (d17).
 * @throws IngestFailure `blocked-challenge`; `badStatus` for another status
 */
export function requireCapture(fetched: Fetched, badStatus: IngestFailure['status']): void {
  refuseChallenge(fetched);
  const { status, url } = fetched;
  if (status === 200 || status === 203) return;
  fetched.discard();
  throw new IngestFailure(badStatus, `${shownUrl(url)} answers ${status}: ${remedyOf(status)}`);
}
