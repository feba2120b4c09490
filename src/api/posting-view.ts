import * as z from 'zod';
import { CHANGE_KINDS } from '../core/change.ts';
import { formatStamp } from '../core/stamp.ts';
import { postedEventSchema } from '../ingest/posted-schema.ts';
import type { PostingResult } from '../ingest/posting.ts';
import type { PostingEntry } from '../observe/audit/posting-entry.ts';
import { count, w3cDatetime as datetime } from './fields.ts';

/** What is posted, and what became of it. */

export const postedChangesSchema = z.strictObject({ changes: z.array(postedEventSchema) }).meta({
  id: 'ChangeEvents',
  description: 'Change events in the order in which they are to be applied.',
  examples: [{ changes: postedEventSchema.meta()?.examples ?? [] }],
});

// Each alternative of a union has an id, since programs that generate code need a name for its type.
const applied = z
  .strictObject({ status: z.literal('applied'), change: z.enum(CHANGE_KINDS), datetime })
  .meta({ id: 'AppliedEvent' });

const unchanged = z
  .strictObject({
    status: z.literal('unchanged'),
    reason: z.enum(['same-state', 'not-there', 'repeated', 'superseded']),
  })
  .meta({ id: 'UnchangedEvent' });

const rejected = z
  .strictObject({
    status: z.literal('rejected'),
    code: z.string(),
    message: z.string(),
    field: z.string().optional(),
  })
  .meta({ id: 'RejectedEvent' });

const eventResultSchema = z
  .discriminatedUnion('status', [applied, unchanged, rejected])
  .meta({ id: 'EventResult', description: 'What became of one event.' });

const number = z.int().min(1).describe('The number of its line, counted from 1.');

export const lineResultSchema = z
  .discriminatedUnion('status', [
    applied.extend({ number }).meta({ id: 'AppliedLine' }),
    unchanged.extend({ number }).meta({ id: 'UnchangedLine' }),
    rejected.extend({ number }).meta({ id: 'RejectedLine' }),
  ])
  .meta({ id: 'LineResult', description: 'The result of the event on one line of a stream.' });

const totals = { applied: count, unchanged: count, rejected: count };

export const postedResultsSchema = z
  .strictObject({ results: z.array(eventResultSchema), ...totals })
  .meta({ id: 'PostedResults', description: 'The result of each event, in their order.' });

export const postedTotalsSchema = z
  .strictObject({
    complete: z.literal(true),
    ...totals,
    notApplied: z.array(lineResultSchema).describe('At most 1,000: first those that were rejected, then the others.'),
    notListed: z
      .strictObject({ rejected: count, unchanged: count })
      .optional()
      .describe('How many more were not applied. Absent when all of them are listed.'),
  })
  .meta({ id: 'PostedTotals', description: 'The answer to a stream, with the events that were not applied.' });

export const lastLineSchema = z
  .discriminatedUnion('complete', [
    z.strictObject({ complete: z.literal(true), ...totals }).meta({ id: 'CompleteResults' }),
    z
      .strictObject({
        complete: z.literal(false),
        ...totals,
        error: z.looseObject({ code: z.string(), message: z.string() }),
      })
      .meta({ id: 'IncompleteResults' }),
  ])
  .meta({ id: 'LastLine', description: 'The last line of a stream of results: whether all events were read.' });

const senderSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('token'), id: z.string(), name: z.string() }).meta({ id: 'TokenSender' }),
    z.strictObject({ kind: z.enum(['administrator', 'local', 'command-line', 'scan']) }).meta({ id: 'OtherSender' }),
  ])
  .meta({
    id: 'Sender',
    description:
      'Who posted: the bearer of a token, or of the token of the environment (administrator); a client on the machine of the server; the command line; a scan of the root.',
  });

const postingSchema = z
  .strictObject({
    id: z.string(),
    sender: senderSchema,
    source: z.string().optional().describe('The `source` that its first event named.'),
    began: datetime,
    ended: datetime,
    postings: z.int().min(1).describe('Small postings of one sender within a minute are listed together.'),
    ...totals,
    durationMs: z.int().min(0).describe('Milliseconds that they took, together.'),
    rejections: z
      .array(
        z.strictObject({
          number: z.int().optional().describe('Of the event, or of its line; the first is 1.'),
          location: z.string().optional(),
          code: z.string(),
          message: z.string(),
          field: z.string().optional(),
        }),
      )
      .describe('The first 20 events that were rejected.'),
    problem: z.string().optional().describe('Why a posting was refused, or not read to its end.'),
  })
  .meta({ id: 'Posting', description: 'What was posted.' });

export const postingsSchema = z.strictObject({ postings: z.array(postingSchema) }).meta({ id: 'Postings' });

type PostingView = z.infer<typeof postingSchema>;

export type EventResultView = z.infer<typeof eventResultSchema>;

export type Totals = { -readonly [Name in keyof typeof totals]: number };

export function postingView({ began, ended, duration, ...entry }: PostingEntry): PostingView {
  return {
    ...entry,
    began: new Date(began).toISOString(),
    ended: new Date(ended).toISOString(),
    durationMs: duration,
    rejections: [...entry.rejections],
  };
}

export function resultView(result: PostingResult): EventResultView {
  if (result.status !== 'applied') return result;
  return { status: 'applied', change: result.kind, datetime: formatStamp(result.stamp) };
}
