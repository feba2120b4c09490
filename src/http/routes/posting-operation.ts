import * as z from 'zod';
import {
  lastLineSchema,
  lineResultSchema,
  postedChangesSchema,
  postedResultsSchema,
  postedTotalsSchema,
} from '../../api/schemas.ts';
import { postedEventSchema } from '../../ingest/posted-schema.ts';
import { type Answer, json, type Operation } from '../request/operation.ts';
import { choice } from '../request/query-parameters.ts';

const EVENTS_BY_LINE = { lines: postedEventSchema };

const PER_EVENT: Answer = {
  status: 200,
  description: 'One line for each event in the order of the lines. The last line says that all were read, or why not.',
  content: { 'application/x-ndjson': { lines: z.union([lineResultSchema, lastLineSchema]) } },
};

/** Posting of change events, as one JSON body or as a stream of lines. */
export const POST_CHANGES = {
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
} satisfies Operation;
