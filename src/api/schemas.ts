import * as z from 'zod';
import { CHANGE_KINDS } from '../core/change.ts';
import { TIME_UNITS } from '../core/time-unit.ts';
import { postedEventSchema } from '../ingest/posted-schema.ts';
import { byListedKind, isOptional } from '../publish/documents.ts';
import { settingsOfAdministrators } from './set-schemas.ts';

/** The shapes of the JSON API. Those with an id are components of its description at /api/openapi.json. */

const datetime = z.string().meta({ id: 'Datetime', description: 'A W3C datetime, in UTC.', format: 'date-time' });
const uri = z.string().describe('A URI.');
const bytes = z.int().min(0).describe('Bytes.');
const count = z.int().min(0);
const order = count.optional();

const hashes = z
  .strictObject({ 'sha-256': z.string(), 'sha-1': z.string(), md5: z.string() })
  .partial()
  .meta({ id: 'Hashes', description: 'Hexadecimal digests of the bytes.' });

const link = z
  .strictObject({
    rel: z.string(),
    href: uri,
    mime: z.string().optional(),
    pri: z.int().optional(),
    modified: datetime.optional(),
    length: bytes.optional(),
    hashes: hashes.optional(),
  })
  .meta({ id: 'Link', description: 'A related resource.' });

const state = {
  lastmod: datetime.optional(),
  length: bytes.optional(),
  mime: z.string().optional(),
  hashes: hashes.optional(),
  ln: z.array(link).optional(),
};

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

export const errorSchema = z
  .strictObject({
    error: z.looseObject({
      code: z.string().describe('For programs: it stays the same where the message may change.'),
      message: z.string().describe('For people: what is wrong, where, and what to do.'),
      field: z.string().optional().describe('The parameter or field that is wrong.'),
      requestId: z.string().optional().describe('Identifies the request in the logs of the server.'),
    }),
  })
  .meta({ id: 'Error', description: 'Why a request failed. There may be more fields for programs.' });

export const healthSchema = z
  .strictObject({
    status: z.enum(['ok', 'ready']),
    store: z
      .string()
      .optional()
      .describe('Of a server that shares its port, at `/healthz`: the same for all servers of one store.'),
    artifactStore: z
      .enum(['unavailable'])
      .optional()
      .describe('At `/readyz`: the artifact store does not answer. Lists and posting need it not.'),
  })
  .meta({ id: 'Health' });

export const setSchema = z
  .strictObject({
    set: z.string().describe('Its id.'),
    title: z.string().optional(),
    aliases: z.array(z.string()).optional().describe('Names that events may have as `resource_set`, beside its id.'),
    ready: z.boolean().describe('False while its first scan is under way: its documents answer 503 until then.'),
    resources: count.describe('The resources that are live.'),
    changes: count.describe('All changes of its history.'),
    lastChange: datetime.optional(),
    urlPrefix: uri,
    hasRoot: z.boolean().describe('Whether its resources are served by this server.'),
    records: z
      .string()
      .optional()
      .describe(
        'Of a set of records: the provider and the activity, such as `cdl/harvest`, whose newest artifact it contains.',
      ),
    from: z.string().optional().describe('Of a set that copies another source: the URL of that.'),
    organization: z.string().optional().describe('Of a set of a stream: whose it is.'),
    stream: z.string().optional().describe('Absent: whichever is the default stream of the organization.'),
    publishes: z.string().optional().describe('Of a set of a stream, for people: such as `the records of lane/main`.'),
    private: z.boolean().describe('Whether reading it needs a token.'),
    ...settingsOfAdministrators,
    trouble: z
      .strictObject({ since: datetime, problem: z.string() })
      .optional()
      .describe('Why it cannot be synced with its source at present. Only administrators see it.'),
    hiddenFiles: z
      .strictObject({ count: z.int().min(1), paths: z.array(z.string()) })
      .optional()
      .describe(
        'Published files whose name, or that of a folder above, begins with a dot, as of the last scan: their number, and the first. Only administrators see it.',
      ),
    epoch: z.int().min(1).describe('Rises when its history starts anew.'),
    documents: z.strictObject(byListedKind((kind) => (isOptional(kind) ? uri.optional() : uri))),
  })
  .meta({ id: 'ResourceSet', description: 'A set with its numbers and documents.' });

export const setsSchema = z
  .strictObject({ sets: z.array(setSchema), next: next('after') })
  .meta({ id: 'ResourceSets' });

export const resourceSchema = z
  .strictObject({
    uri,
    key: z.string().describe('What identifies it in its set: `/` and its path below `urlPrefix`, or its URI.'),
    ...state,
    changed: datetime,
    created: datetime,
    order: order.describe('The highest order of the events about it. Absent when none had one.'),
    page: uri.optional().describe('The document of the Resource List that has it. Only where one resource is shown.'),
  })
  .meta({ id: 'Resource', description: 'The current state of a resource.' });

export const resourcesSchema = z
  .strictObject({ resources: z.array(resourceSchema), next: next('after') })
  .meta({ id: 'Resources' });

const changeSchema = z
  .strictObject({
    uri,
    key: z.string(),
    change: z.enum(CHANGE_KINDS),
    datetime,
    ...state,
    order: order.describe('The highest order of the events about the resource, up to this change.'),
  })
  .meta({ id: 'Change', description: 'A change, with the state of the resource after it.' });

export const changesSchema = z
  .strictObject({ changes: z.array(changeSchema), next: next('from') })
  .meta({ id: 'Changes' });

export const latestChangesSchema = z
  .strictObject({ changes: z.array(changeSchema), next: next('until') })
  .meta({ id: 'LatestChanges', description: 'Changes, newest first.' });

const countedChangesSchema = z
  .strictObject({
    start: datetime.describe('When the hour or day begins.'),
    created: count,
    updated: count,
    deleted: count,
  })
  .meta({ id: 'CountedChanges' });

export const activitySchema = z.strictObject({ unit: z.enum(TIME_UNITS), counts: z.array(countedChangesSchema) }).meta({
  id: 'Activity',
  description: 'How many changes there were in each hour or day, also where there were none.',
});

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

export const pageSchema = z
  .strictObject({
    name: z.string(),
    uri,
    from: z.string().describe('The first key that it may hold.'),
    entries: count,
    changed: datetime.optional(),
    length: bytes.optional(),
    digest: z.string().optional().describe('Of its bytes; what its ETag is made of.'),
    rendered: datetime.optional(),
  })
  .meta({ id: 'Page', description: 'A page of the Resource List.' });

export const pagesSchema = z.strictObject({ pages: z.array(pageSchema) }).meta({ id: 'Pages' });

function next(parameter: 'after' | 'from' | 'until') {
  return z.string().optional().describe(`Send it as \`${parameter}\` for what follows. Absent when nothing does.`);
}

export type PostingView = z.infer<typeof postingSchema>;
export type CountedChangesView = z.infer<typeof countedChangesSchema>;
export type SetView = z.infer<typeof setSchema>;
export type ResourceView = z.infer<typeof resourceSchema>;
export type ChangeView = z.infer<typeof changeSchema>;
export type PageView = z.infer<typeof pageSchema>;
export type EventResultView = z.infer<typeof eventResultSchema>;
export type Totals = { -readonly [Name in keyof typeof totals]: number };
