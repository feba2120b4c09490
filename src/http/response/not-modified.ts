import type { Answer, AnswerHeaders } from '../request/answer.ts';

/**
 * Headers of a 200 that a 304 repeats (RFC 9110, 15.4.5); the client keeps the others. A script that sends a
 * conditional request needs the last one.
 */
const KEPT = ['ETag', 'Vary', 'Cache-Control', 'Last-Modified', 'Access-Control-Allow-Origin'] as const;

/** @param headers of the 200 that the client already has */
export function notModified(headers: AnswerHeaders): Answer {
  const kept: Record<string, string | readonly string[]> = {};
  for (const name of KEPT) {
    const value = headers[name];
    if (value !== undefined) kept[name] = value;
  }
  return { status: 304, headers: kept };
}
