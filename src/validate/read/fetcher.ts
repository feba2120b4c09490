/** Sends GET requests for a validation. An adapter follows redirects, and keeps to the limits of time. */
export interface Fetcher {
  /**
   * @param encoding what is accepted: `gzip`, or the bytes as they are
   * @throws FetchFailure when there is no answer
   */
  get(uri: string, encoding: 'gzip' | 'identity', signal: AbortSignal): Promise<Fetched>;
  close(): void;
}

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
