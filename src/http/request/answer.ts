import type { ServedBytes } from '../../sources/served-source.ts';

export type AnswerHeaders = Readonly<Record<string, string | readonly string[]>>;

/**
 * The response of a handler to a GET or HEAD. send-answer.ts sends it over node:http, server/front.ts directly. To a
 * HEAD, a response without a body still has a `Content-Length`.
 */
export interface Answer {
  readonly status: number;
  /** Headers in addition to those of every response, which they may replace. A 304 has only these. */
  readonly headers: AnswerHeaders;
  /** Exactly as many bytes as `Content-Length` states. The sender closes it. */
  readonly body?: ServedBytes | undefined;
}
