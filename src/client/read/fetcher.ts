/** Sends GET requests for a client of a source. An adapter follows redirects, and keeps to the limits of time. */
export interface Fetcher {
  /**
   * @param encoding what is accepted: `gzip`, or the bytes as they are
   * @param headers more of them, such as `if-none-match`
   * @throws FetchFailure when there is no answer
   */
  get(uri: string, encoding: 'gzip' | 'identity', signal: AbortSignal, headers?: RequestHeaders): Promise<Fetched>;
  close(): void;
}

export type RequestHeaders = Readonly<Record<string, string>>;

export interface Fetched {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Where it was answered, after redirects. */
  readonly uri: string;
  /** As it came, perhaps packed. Throws FetchFailure. Read it to its end, or call `discard`. */
  readonly body: AsyncIterable<Uint8Array>;
  discard(): void;
}

/** Why there is no answer, or not all of it, in words for a person. */
export class FetchFailure extends Error {}

/** What no later attempt would change: a URL that cannot be requested, a redirect that is not followed. */
export class Refused extends FetchFailure {}

/** An address in a private network, which is not requested because only a document, and no person, has named it. */
export class PrivateHost extends Refused {}
