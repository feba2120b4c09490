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
  /** Each request with its response, the redirects first; only from a fetcher that records them. */
  readonly hops?: readonly RecordedHop[];
}

/** A request and the head of its response as they were on the wire, without the credentials that were sent. */
export interface RecordedHop {
  readonly url: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** IP address of the server. */
  readonly address?: string;
  /** Lines that end with CRLF, and an empty line. */
  readonly requestHead: string;
  readonly responseHead: string;
  /** The body of a redirect, at most 64 kB of it. */
  readonly body?: Uint8Array;
}

/** Why there is no complete response. The message is for people. */
export class FetchFailure extends ReadFailure {}

/** There is no answer at all, so nothing is known of what was requested. */
export class NoAnswer extends FetchFailure {
  /** The host that does not answer, when a redirect has led to it. */
  host?: string;
}

/** The whole response took longer than is allowed. */
export class TookTooLong extends FetchFailure {}

/** A failure that a retry cannot change, such as a URL that cannot be requested, or a redirect that is not followed. */
export class Refused extends FetchFailure {}

/** A redirect that is not followed. */
export class RefusedRedirect extends Refused {}

/** Redirects that come back to a URL, or are too many. */
export class RedirectLoop extends RefusedRedirect {}

/** An address in a private network, which is refused because only a document has named it, not the user. */
export class PrivateHost extends Refused {}

/** Whether the failure says nothing of what was requested. */
export const isUnanswered = (error: unknown): boolean => error instanceof NoAnswer || error instanceof PrivateHost;
