import type { Answer, AnswerHeaders } from '../request/answer.ts';

/**
 * What a 304 repeats of the headers of a 200 (RFC 9110, 15.4.5); the client keeps the others. A script that asks
 * conditionally needs the last one.
 */
const KEPT = ['ETag', 'Vary', 'Cache-Control', 'Last-Modified', 'Access-Control-Allow-Origin'] as const;

/** @param headers of the 200 that the client has already */
export function notModified(headers: AnswerHeaders): Answer {
  const kept: Record<string, string | readonly string[]> = {};
  for (const name of KEPT) {
    const value = headers[name];
    if (value !== undefined) kept[name] = value;
  }
  return { status: 304, headers: kept };
}
