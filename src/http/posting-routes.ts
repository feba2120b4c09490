import type { Request, Response } from 'express';
import { TidemarkError } from '../domain/errors.ts';
import type { Posting } from '../updater/ndjson-posting.ts';
import { changesFormat } from './body-kind.ts';
import { MAX_JSON_BYTES, parseChangesBody, postChanges } from './posting-json.ts';
import { answerWithResults, answerWithTotals } from './posting-stream.ts';
import { textOf } from './query.ts';
import { readBody, requestBody } from './request-body.ts';
import { setOf } from './route.ts';
import type { ServedApp } from './served-app.ts';
import { count, noTotals } from './totals.ts';
import { resultView } from './views.ts';

/** Posting of change events. @param stopping ends streams that are being read when the server stops */
export function postingHandlers({ updater, configuration }: ServedApp, stopping: AbortSignal) {
  const { idleTimeout } = configuration;

  async function changes(request: Request, response: Response): Promise<void> {
    const wantsResults = resultsOf(request) === 'all';
    const posting: Posting = { set: setOf(response), post: (events) => updater.post(events) };
    const body = requestBody(request, { idleTimeout, stopping });
    if (changesFormat(request.headers) === 'json') await answerToJson(response, body, posting);
    else if (wantsResults) await answerWithResults(response, body, { posting, idleTimeout });
    else await answerWithTotals(response, body, posting);
  }

  return { changes };
}

async function answerToJson(response: Response, body: AsyncIterable<Buffer>, posting: Posting): Promise<void> {
  const values = parseChangesBody(await readBody(body, MAX_JSON_BYTES));
  const results = await postChanges(values, posting);
  const totals = noTotals();
  for (const result of results) count(totals, result);
  response.set('Cache-Control', 'no-store').json({ results: results.map(resultView), ...totals });
}

function resultsOf(request: Request): 'all' | 'failed' {
  const results = textOf(request, 'results') ?? 'failed';
  if (results === 'all' || results === 'failed') return results;
  throw new TidemarkError('invalid', 'results is all or failed', { code: 'bad-query', field: 'results' });
}
