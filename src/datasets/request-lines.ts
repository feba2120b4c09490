import { isTidemarkError } from '../core/errors.ts';
import { type NdjsonLine, NdjsonLines } from '../lib/bytes/ndjson-lines.ts';
import type { IngestRequest } from './request.ts';
import { parseRequest } from './results/parse-request.ts';

/** Bytes of a line: a request has fewer. */
const MOST_LINE_BYTES = 128 * 1024;
const MOST_IN_BATCH = 200;

const LINE_PROBLEMS = {
  'line-too-long': `a line has at most ${MOST_LINE_BYTES} bytes`,
  'not-utf-8': 'the line is not UTF-8',
} as const;

/** A line that is not blank, with its number, counted from 1: its request, or what is wrong with it. */
export type RequestLine =
  | { readonly number: number; readonly request: IngestRequest; readonly problem?: undefined }
  | { readonly number: number; readonly request?: undefined; readonly problem: LineProblem };

interface LineProblem {
  readonly code: string;
  readonly message: string;
  readonly field?: string;
}

/**
 * Reads requests, one a line: as JSON, or a bare URL, DOI or handle. Yields what arrives, a few hundred at once. A
 * wrong line does not affect the others.
 */
export async function* readRequestLines(input: AsyncIterable<Buffer>): AsyncGenerator<readonly RequestLine[]> {
  const lines = new NdjsonLines(MOST_LINE_BYTES);
  for await (const chunk of input) yield* batchesOf(lines.push(chunk));
  yield* batchesOf(lines.end());
}

function* batchesOf(lines: readonly NdjsonLine[]): Generator<readonly RequestLine[]> {
  for (let at = 0; at < lines.length; at += MOST_IN_BATCH) yield lines.slice(at, at + MOST_IN_BATCH).map(parseLine);
}

function parseLine(line: NdjsonLine): RequestLine {
  const { number, problem } = line;
  if (problem !== undefined) return { number, problem: { code: problem, message: LINE_PROBLEMS[problem] } };
  try {
    return { number, request: parseRequest(jsonOrText(line.text)) };
  } catch (error) {
    if (error instanceof SyntaxError) {
      return { number, problem: { code: 'not-json', message: `the line is not JSON: ${error.message}` } };
    }
    if (!isTidemarkError(error, 'invalid')) throw error;
    const { code = 'bad-request', field } = error.details as Partial<LineProblem>;
    return { number, problem: { code, message: error.message, ...(field !== undefined && { field }) } };
  }
}

/** @throws SyntaxError */
function jsonOrText(text: string): unknown {
  const trimmed = text.trim();
  return /^[{["]/.test(trimmed) ? JSON.parse(trimmed) : trimmed;
}
