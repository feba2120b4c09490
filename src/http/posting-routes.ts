import type { Response } from 'express';
import type { Sender } from '../journal/posting-entry.ts';
import { leftOutOf } from '../updater/left-out-of.ts';
import type { Posting } from '../updater/ndjson-posting.ts';
import { refusePosting } from '../updater/refuse-posting.ts';
import { journalSender } from './journal-sender.ts';
import { mediaTypeOf } from './media-types.ts';
import { MAX_JSON_BYTES, parseChangesBody, postChanges } from './posting-json.ts';
import { POST_CHANGES } from './posting-operation.ts';
import { answerWithResults, answerWithTotals } from './posting-stream.ts';
import { readBody, requestBody } from './request-body.ts';
import { post, type Route, senderOf, setOf } from './route.ts';
import { sendJson } from './send-json.ts';
import type { ServedApp } from './served-app.ts';
import { count, noTotals } from './totals.ts';
import { resultView } from './views.ts';

const STREAM_HINT = ': send it as application/x-ndjson, one event a line';

/** Posting of change events. @param stopping ends streams that are being read when the server stops */
export function postingRoutes(app: ServedApp, stopping: AbortSignal): readonly Route[] {
  const { updater, metrics, journal, configuration } = app;
  const { idleTimeout } = configuration;

  return [
    post('/api/sets/:set/changes', {
      action: 'post-changes',
      operation: POST_CHANGES,
      async handle(request, response, { results }) {
        const set = setOf(response);
        refusePosting(set);
        const unrecorded = {
          set,
          leavesOut: await leftOutOf(set, app),
          sender: journalSender(senderOf(response), configuration),
          post: (events) => updater.post(events),
          rejected: (rejection) => metrics.index.rejected(rejection),
        } satisfies Posting & { sender: Sender };
        const body = requestBody(request, { idleTimeout, stopping });
        await journal.recorded(unrecorded, async (posting) => {
          if (mediaTypeOf(request.headers) === 'application/json') await answerToJson(response, body, posting);
          else if (results === 'all') await answerWithResults(response, body, { posting, idleTimeout });
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
