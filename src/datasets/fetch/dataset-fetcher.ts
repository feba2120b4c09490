/**
 * Requests to platforms and their storage: http and https only, no HEAD (d17), never into a private network that is not
 * allowed (`--dataset-networks`), whatever named it; polite to each host (PoliteFetcher); the User-Agent names the
 * product. Tokens of platforms are sent to their own host, never after a redirect of another one. open-fetcher.ts makes
 * it.
 */
export interface DatasetFetcher {
  /**
   * Sends a request, follows redirects, and resolves with the last response, whatever its status. What may pass is
   * requested again first: no answer, 429 and 5xx, with Retry-After, some times.
   * @throws IngestFailure `bad-url`, `redirect-loop` (more than 20 redirects, or a URL twice), `redirect-refused` (to
   *   another scheme), `blocked-network`, and `unanswered` when the server does not answer; TidemarkError `invalid`
   *   when the file with the token of the host cannot be read; the signal's reason
   */
  get(url: string, options: FetchOptions): Promise<Fetched>;
  close(): void;
}

export interface FetchOptions {
  readonly signal: AbortSignal;
  /** Media types; any by default. */
  readonly accept?: string;
  /** The status of the failure when there is no answer. */
  readonly unanswered: 'no-capture' | 'error-platform-download' | 'file-not-fetched';
  /** The first byte that is wanted, and the strong ETag of what it must be a part of. */
  readonly resume?: { readonly from: number; readonly etag: string };
}

export interface Fetched {
  /** After redirects. */
  readonly url: string;
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * As received, after a Content-Encoding was undone. Throws BrokenBody, with the status `unanswered`, when it breaks
   * off; IngestFailure with that status when it takes too long.
   */
  readonly body: AsyncIterable<Uint8Array>;
  /** Closes the connection of a body that is not read to its end. */
  discard(): void;
  /** Each request with its response, the redirects first: what a web archive stores. */
  readonly hops: readonly Hop[];
}

/** A request and its response as they were on the wire, but for secrets: a header with a token is left out. */
export interface Hop {
  readonly url: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Address of the server, if known. */
  readonly address?: string;
  /** `GET /path HTTP/1.1` and header lines, with CRLF, and an empty line. */
  readonly requestHead: string;
  /** `HTTP/1.1 302 Found` and header lines, with CRLF, and an empty line. */
  readonly responseHead: string;
  /** Of a redirect, at most 64 kB; absent for the last response, whose body is read by the caller. */
  readonly body?: Uint8Array;
}
