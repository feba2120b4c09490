import type { Response } from 'express';
import { resultView } from '../../api/views.ts';
import { leftOutOf } from '../../ingest/left-out-of.ts';
import type { Posting } from '../../ingest/ndjson-posting.ts';
import { refusePosting } from '../../ingest/refuse-posting.ts';
import type { Sender } from '../../observe/audit/posting-entry.ts';
import { senderOf, setOf } from '../request/admitted.ts';
import { mediaTypeOf } from '../request/media-types.ts';
import { readBody, requestBody } from '../request/request-body.ts';
import { post, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { sendJson } from '../response/send-json.ts';
import { MAX_JSON_BYTES, parseChangesBody, postChanges } from './posting-json.ts';
import { POST_CHANGES } from './posting-operation.ts';
import { postingSender } from './posting-sender.ts';
import { answerWithResults, answerWithTotals } from './posting-stream.ts';
import { count, noTotals } from './totals.ts';

const STREAM_HINT = ': send it as application/x-ndjson, one event a line';

/** Posting of change events. @param stopping ends streams that are being read when the server stops */
export function postingRoutes(app: ServedApp, stopping: AbortSignal): readonly Route[] {
  const { updater, metrics, postingLog, configuration } = app;
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
          sender: postingSender(senderOf(response), configuration),
          post: (events) => updater.post(events),
          rejected: (rejection) => metrics.index.rejected(rejection),
        } satisfies Posting & { sender: Sender };
        const body = requestBody(request, { idleTimeout, stopping });
        await postingLog.recorded(unrecorded, async (posting) => {
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
