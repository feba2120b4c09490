import * as z from 'zod';
import { CHANGE_KINDS } from '../domain/change.ts';
import { postedEventSchema } from '../updater/posted-schema.ts';

/** The shapes of the JSON API. Times are W3C datetimes, lengths are bytes. */

const datetime = z.string();
const hashes = z.strictObject({ 'sha-256': z.string(), 'sha-1': z.string(), md5: z.string() }).partial();
const link = z.strictObject({ rel: z.string(), href: z.string(), mime: z.string().optional() });
const state = {
  lastmod: datetime.optional(),
  length: z.int().optional(),
  mime: z.string().optional(),
  hashes: hashes.optional(),
  ln: z.array(link).optional(),
};

/** What is posted as application/json; as NDJSON it is one event a line. */
export const postedChangesSchema = z.strictObject({ changes: z.array(postedEventSchema) });

const results = [
  z.strictObject({ status: z.literal('applied'), change: z.enum(CHANGE_KINDS), datetime }),
  z.strictObject({ status: z.literal('unchanged'), reason: z.enum(['same-state', 'not-there', 'repeated']) }),
  z.strictObject({
    status: z.literal('rejected'),
    code: z.string(),
    message: z.string(),
    field: z.string().optional(),
  }),
] as const;

/** What became of one event. */
export const eventResultSchema = z.discriminatedUnion('status', results);

const number = z.int().min(1);
const [applied, unchanged, rejected] = results;

/** What became of the event on one line of a stream; lines are counted from 1. */
export const lineResultSchema = z.discriminatedUnion('status', [
  applied.extend({ number }),
  unchanged.extend({ number }),
  rejected.extend({ number }),
]);

const totals = { applied: z.int(), unchanged: z.int(), rejected: z.int() };

export const postedResultsSchema = z.strictObject({ results: z.array(eventResultSchema), ...totals });

/** The answer to a stream: the first 1,000 events that were not applied, with the numbers of their lines. */
export const postedTotalsSchema = z.strictObject({
  complete: z.literal(true),
  ...totals,
  notApplied: z.array(lineResultSchema),
});

/** The last line of a stream of results. */
export const lastLineSchema = z.discriminatedUnion('complete', [
  z.strictObject({ complete: z.literal(true), ...totals }),
  z.strictObject({
    complete: z.literal(false),
    ...totals,
    error: z.looseObject({ code: z.string(), message: z.string() }),
  }),
]);

export const errorSchema = z.strictObject({ error: z.looseObject({ code: z.string(), message: z.string() }) });

export const healthSchema = z.strictObject({ status: z.enum(['ok', 'ready']) });

export const setSchema = z.strictObject({
  set: z.string(),
  title: z.string().optional(),
  /** False while its first scan is under way: its documents answer 503 until then. */
  ready: z.boolean(),
  resources: z.int(),
  changes: z.int(),
  lastChange: datetime.optional(),
  urlPrefix: z.string(),
  /** Whether its resources are served by this server. */
  hasRoot: z.boolean(),
  epoch: z.int(),
  documents: z.strictObject({
    capabilityList: z.string(),
    resourceList: z.string(),
    changeList: z.string(),
    recentChanges: z.string(),
  }),
});

/** `next` is the `after` of the following request, absent at the end. */
export const setsSchema = z.strictObject({ sets: z.array(setSchema), next: z.string().optional() });

export const resourceSchema = z.strictObject({
  uri: z.string(),
  key: z.string(),
  ...state,
  changed: datetime,
  created: datetime,
});

export const resourcesSchema = z.strictObject({ resources: z.array(resourceSchema), next: z.string().optional() });

export const changeSchema = z.strictObject({
  uri: z.string(),
  key: z.string(),
  change: z.enum(CHANGE_KINDS),
  datetime,
  ...state,
});

/** `next` is the `from` of the following request, absent when these were all. */
export const changesSchema = z.strictObject({ changes: z.array(changeSchema), next: datetime.optional() });

export const pageSchema = z.strictObject({
  name: z.string(),
  uri: z.string(),
  /** The first key that it may hold. */
  from: z.string(),
  entries: z.int(),
  changed: datetime.optional(),
  length: z.int().optional(),
  digest: z.string().optional(),
  rendered: datetime.optional(),
});

export const pagesSchema = z.strictObject({ pages: z.array(pageSchema) });

export type SetView = z.infer<typeof setSchema>;
export type ResourceView = z.infer<typeof resourceSchema>;
export type ChangeView = z.infer<typeof changeSchema>;
export type PageView = z.infer<typeof pageSchema>;
export type EventResultView = z.infer<typeof eventResultSchema>;
export type Totals = { -readonly [Name in keyof typeof totals]: number };
