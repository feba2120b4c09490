import type { ServedBytes } from '../../sources/served-source.ts';

export type AnswerHeaders = Readonly<Record<string, string | readonly string[]>>;

/**
 * What a handler answers a GET or HEAD with; send-answer.ts sends it over node:http, server/front.ts by itself. An
 * answer without a body has a `Content-Length` all the same when the client asked with HEAD.
 */
export interface Answer {
  readonly status: number;
  /** Besides those that every response has, which it may replace. A 304 has no others. */
  readonly headers: AnswerHeaders;
  /** So many bytes as `Content-Length` says. The sender closes it. */
  readonly body?: ServedBytes | undefined;
}
