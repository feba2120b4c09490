import { ReadFailure } from './read-failure.ts';

/** Sends GET requests for a client of a source. An adapter follows redirects, and enforces time limits. */
export interface Fetcher {
  /**
   * @param encoding the accepted Content-Encoding; `identity` for none
   * @param headers additional headers, such as `if-none-match`
   * @throws FetchFailure when there is no response
   */
  get(uri: string, encoding: 'gzip' | 'identity', signal: AbortSignal, headers?: RequestHeaders): Promise<Fetched>;
  close(): void;
}

export type RequestHeaders = Readonly<Record<string, string>>;

export interface Fetched {
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The URI of the response, after redirects. */
  readonly uri: string;
  /**
   * The body as received; it may be compressed. Read it to its end, or call `discard`. Iterating throws
   * FetchFailure.
   */
  readonly body: AsyncIterable<Uint8Array>;
  discard(): void;
}

/** Why there is no complete response. The message is for people. */
export class FetchFailure extends ReadFailure {}

/** There is no answer at all, so nothing is known of what was requested. */
export class NoAnswer extends FetchFailure {}

/** A failure that a retry cannot change, such as a URL that cannot be requested, or a redirect that is not followed. */
export class Refused extends FetchFailure {}

/** An address in a private network, which is refused because only a document has named it, not the user. */
export class PrivateHost extends Refused {}

/** Whether the failure says nothing of what was requested. */
export const isUnanswered = (error: unknown): boolean => error instanceof NoAnswer || error instanceof PrivateHost;
