import type { Response } from 'express';
import { resultView } from '../../api/views.ts';
import type { Posting } from '../../ingest/posting.ts';
import { senderOf, setOf } from '../request/admitted.ts';
import { mediaTypeOf } from '../request/media-types.ts';
import { readBody, requestBody } from '../request/request-body.ts';
import { post, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { sendJson } from '../response/send-json.ts';
import { MAX_JSON_BYTES, parseChangesBody, postChanges, STREAM_HINT } from './posting-json.ts';
import { POST_CHANGES } from './posting-operation.ts';
import { postingSender } from './posting-sender.ts';
import { answerWithResults, answerWithTotals } from './posting-stream.ts';
import { count, noTotals } from './totals.ts';

/** Posting of change events. @param stopping ends streams that are being read when the server stops */
export function postingRoutes({ configuration, postings }: ServedApp, stopping: AbortSignal): readonly Route[] {
  const { idleTimeoutMs } = configuration;

  return [
    post('/api/sets/:set/changes', {
      action: 'post-changes',
      operation: POST_CHANGES,
      async handle(request, response, { results }) {
        const sender = postingSender(senderOf(response), configuration);
        await postings.receive({ set: setOf(response), sender }, async (posting) => {
          const body = requestBody(request, { idleTimeoutMs, stopping });
          if (mediaTypeOf(request.headers) === 'application/json') await answerToJson(response, body, posting);
          else if (results === 'all') await answerWithResults(response, body, { posting, idleTimeoutMs });
          else await answerWithTotals(response, body, posting);
        });
      },
    }),
  ];
}

async function answerToJson(response: Response, body: AsyncIterable<Buffer>, posting: Posting): Promise<void> {
  const values = parseChangesBody(await readBody(body, MAX_JSON_BYTES, STREAM_HINT));
  const results = await postChanges(values, posting);
  const totals = noTotals();
  for (const result of results) count(totals, result);
  sendJson(response, { results: results.map(resultView), ...totals });
}
