import type { Signpost } from './signposts.ts';

/** Where the crawl of a base_url has ended, with status 200 (or 203). */
export interface Landing {
  /** After all redirects. */
  readonly url: string;
  /** 14 digits, in UTC. */
  readonly dt: string;
  readonly statusCode: number;
  /** Of the body; absent when it was not read: it is no HTML. */
  readonly sha1hex?: string;
  /** The media type without parameters, in lower case; empty when the server sends none. */
  readonly mimetype: string;
  readonly isHtml: boolean;
  /** Bytes that the header Content-Length states. */
  readonly length?: number;
  /** The name in the header Content-Disposition. */
  readonly fileName?: string;
  /** URLs of the way, from base_url on; the last one is `url`. */
  readonly hops: readonly string[];
  /** Typed links of the header Link, and of the head of the page: URLs are absolute. */
  readonly signposts: readonly Signpost[];
  /** What <script type="application/ld+json"> contains: texts, not parsed yet. */
  readonly jsonLd: readonly string[];
}
