import { setImmediate } from 'node:timers/promises';
import type { Response } from 'express';
import { resultView, type Totals } from '../../api/posting-view.ts';
import { TidemarkError } from '../../core/errors.ts';
import { type LineResult, postNdjson } from '../../ingest/ndjson-posting.ts';
import type { Posting } from '../../ingest/posting.ts';
import { HttpError } from '../request/http-error.ts';
import { errorAnswer } from '../response/error-answer.ts';
import { LineWriter } from '../response/line-writer.ts';
import { NotApplied, type NumberedResult } from './not-applied.ts';
import { count, noTotals } from './totals.ts';

const RESULTS_PER_WRITE = 1000;

/** Posts a stream, and responds at its end with totals and the events that were not applied, as many as fit. */
export async function answerWithTotals(
  response: Response,
  body: AsyncIterable<Buffer>,
  posting: Posting,
): Promise<void> {
  const totals = noTotals();
  const notApplied = new NotApplied();
  try {
    for await (const results of postNdjson(body, posting)) {
      for (const result of results) {
        count(totals, result.result);
        notApplied.add(result);
      }
    }
  } catch (error) {
    throw withTotals(error, totals);
  }
  response.set('Cache-Control', 'no-store').json({ complete: true, ...totals, ...notApplied.view() });
}

/** Posts a stream, and responds with a line for each event while reading; the last line shows whether all was read. */
export async function answerWithResults(
  response: Response,
  body: AsyncIterable<Buffer>,
  { posting, idleTimeoutMs }: { readonly posting: Posting; readonly idleTimeoutMs: number },
): Promise<void> {
  const totals = noTotals();
  const lines = new LineWriter(response, { idleTimeoutMs });
  try {
    for await (const results of postNdjson(body, posting)) await writeResults(lines, results, totals);
  } catch (error) {
    if (!response.headersSent || response.destroyed) throw withTotals(error, totals);
    response.end(`${JSON.stringify({ complete: false, ...totals, ...errorAnswer(error).body })}\n`);
    throw error;
  }
  await lines.write(`${JSON.stringify({ complete: true, ...totals })}\n`);
  response.end();
}

async function writeResults(lines: LineWriter, results: readonly LineResult[], totals: Totals): Promise<void> {
  for (let at = 0; at < results.length; at += RESULTS_PER_WRITE) {
    let text = '';
    for (const { number, result } of results.slice(at, at + RESULTS_PER_WRITE)) {
      count(totals, result);
      text += `${JSON.stringify({ number, ...resultView(result) } satisfies NumberedResult)}\n`;
    }
    await lines.write(text);
    await setImmediate();
  }
}

/** Adds the totals to an error: acknowledged events stay posted. */
function withTotals(error: unknown, totals: Totals): unknown {
  const counts = { complete: false, ...totals };
  if (error instanceof TidemarkError) {
    return new TidemarkError(error.code, error.message, { ...error.details, ...counts }, error);
  }
  if (!(error instanceof HttpError)) return error;
  const { status, code, message, headers, details } = error;
  return new HttpError(status, { code, message, headers, details: { ...details, ...counts } });
}
