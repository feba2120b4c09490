import type { Response } from 'express';
import * as z from 'zod';
import {
  lastLineSchema,
  lineResultSchema,
  postedChangesSchema,
  postedResultsSchema,
  postedTotalsSchema,
  resultView,
} from '../../api/posting-view.ts';
import { postedEventSchema } from '../../ingest/posted-schema.ts';
import type { Posting } from '../../ingest/posting.ts';
import { senderOf, setOf } from '../request/admitted.ts';
import { mediaTypeOf } from '../request/media-types.ts';
import { type Answer, json } from '../request/operation.ts';
import { choice } from '../request/query-parameters.ts';
import { readBody, requestBody } from '../request/request-body.ts';
import { post, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { sendJson } from '../response/send-json.ts';
import { MAX_JSON_BYTES, parseChangesBody, postChanges, STREAM_HINT } from './posting-json.ts';
import { postingSender } from './posting-sender.ts';
import { answerWithResults, answerWithTotals } from './posting-stream.ts';
import { count, noTotals } from './totals.ts';

const EVENTS_BY_LINE = { lines: postedEventSchema };

const PER_EVENT: Answer = {
  status: 200,
  description: 'One line for each event in the order of the lines. The last line says that all were read, or why not.',
  content: { 'application/x-ndjson': { lines: z.union([lineResultSchema, lastLineSchema]) } },
};

/**
 * Posting of change events, as one JSON body or as a stream of lines.
 * @param stopping ends streams that are being read when the server stops
 */
export function postingRoutes({ configuration, postings }: ServedApp, stopping: AbortSignal): readonly Route[] {
  const { idleTimeoutMs } = configuration;

  return [
    post('/api/sets/:set/changes', {
      action: 'post-changes',
      id: 'postChanges',
      tag: 'changes',
      summary: 'Posts change events',
      description: `Each event contains the complete state of one resource after a change, or says that it was deleted. Events are applied in their
order; each one is applied, changes nothing, or is rejected; a rejected event does not affect the others. Everything that
the answer reports is on disk.

Of at most 8 MiB and 100,000 events as \`application/json\`; as \`application/x-ndjson\` (one event a line) of any size, also compressed with gzip.`,
      query: z.strictObject({
        results: choice(
          ['failed', 'all'],
          'What the answer to a stream contains: totals and up to 1,000 events that were not applied, rejected ones first; or a line for each event.',
        ),
      }),
      body: {
        'application/json': postedChangesSchema,
        'application/x-ndjson': EVENTS_BY_LINE,
        'application/ndjson': EVENTS_BY_LINE,
        'application/jsonl': EVENTS_BY_LINE,
      },
      answers: [json(z.union([postedResultsSchema, postedTotalsSchema]), 'The results of the events.'), PER_EVENT],
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
