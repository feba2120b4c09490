import { basename } from 'node:path';
import * as z from 'zod';
import { formatCount } from '../lib/format-count.ts';
import { HARVEST_KINDS, type HarvestRun } from '../records/collections/harvest-run.ts';
import type { Erratum } from '../records/errata/erratum.ts';
import { count, datetime, formatTime } from './fields.ts';
import { reasonSchema, reasonView } from './reason-view.ts';

/** The shapes of harvests in the JSON API. */

const STATES = ['waiting', 'running', 'received', 'ended'] as const;
/** The longest id of NSDL's requests has 36 characters. */
const MOST_UUID = 100;

const kind = z
  .enum(HARVEST_KINDS)
  .describe(
    '`incremental`: what has changed since the last run; `full`: all, and what it did not see is deleted; `again`: the stored responses of an earlier run; `test` and `check` change nothing.',
  );
const force = z.literal(true).optional().describe('Accepts that it deletes far more records than usual.');
const number = z.int().min(1);

export const newHarvestSchema = z
  .strictObject({
    kind: kind.default('incremental'),
    force,
    of: number
      .optional()
      .describe('For `again`: the number of the run whose responses are read, with those of later runs.'),
    uuid: z.string().min(1).max(MOST_UUID).optional().describe('The id of the request, for the message at the end.'),
  })
  .meta({ id: 'NewHarvest', examples: [{ kind: 'full' }] });

const listSchema = z
  .strictObject({
    set: z.string().optional(),
    from: z.string().optional().describe('As it was sent: the first datestamp that was asked for.'),
    responseDate: z.string().optional().describe('Of the first answer, by the clock of the repository.'),
    pages: count,
    records: count.describe('Records and deletions.'),
    completeListSize: count.optional().describe('As the repository said it.'),
    lastIdentifier: z.string().optional(),
    complete: z.boolean(),
  })
  .meta({ id: 'HarvestedList', description: 'What was received of one set, or of all records.' });

const outcomeSchema = z
  .strictObject({
    records: count,
    deletions: count,
    errors: count.describe('Records that could not be read or transformed.'),
    warnings: count.describe('Records that were taken over with a warning.'),
    reasons: z.array(reasonSchema).describe('Why there are errors and warnings, the most frequent reason first.'),
    created: count.optional().describe('Like the next ones, absent for `test` and `check`.'),
    updated: count.optional(),
    deleted: count.optional().describe('With those that a full run did not see.'),
    unchanged: count.optional(),
  })
  .meta({ id: 'HarvestOutcome', description: 'What was read and changed. Absent until it has ended.' });

export const harvestSchema = z
  .strictObject({
    collection: z.string(),
    number,
    kind,
    uuid: z.string(),
    state: z.enum(STATES).describe('`received`: the list is complete, and its records are processed.'),
    status: z
      .union([z.literal(2), z.literal(3), z.literal(4)])
      .optional()
      .describe('2: complete; 3: complete with errors or warnings; 4: failed. Absent until it has ended.'),
    trigger: z.enum(['command', 'schedule', 'request', 'trigger-file']).describe('What added it.'),
    file: z.string().optional().describe('The name of its trigger file.'),
    force,
    of: number.optional(),
    added: datetime,
    started: datetime.optional(),
    ended: datetime.optional(),
    failure: z.string().optional().describe('Why it has failed, and where: set, page, token, last identifier.'),
    lists: z.array(listSchema),
    job: z.string().optional(),
    outcome: outcomeSchema.optional(),
    responses: z
      .string()
      .optional()
      .describe('Where its stored responses are, relative to the URL of the API: a tar of gzip files.'),
    message: z
      .strictObject({ attempts: count, accepted: datetime.optional(), problem: z.string().optional() })
      .optional()
      .describe('The message at its end.'),
  })
  .meta({ id: 'Harvest', description: 'A run that harvests a collection.' });

const harvestErratumSchema = z
  .object({
    id: z.string().optional().describe('The identifier of the record.'),
    path: z.array(z.string()).optional().describe('The response in which it is.'),
    ordinal: count.optional().describe('The number of the record in the response, from 1.'),
    offset: count.optional().describe('Bytes before it.'),
    kind: z.string().optional(),
    reason: z.string(),
    warning: z.literal(true).optional().describe('Whether the record was taken over.'),
  })
  .meta({ id: 'HarvestError', description: 'A record that could not be read or transformed, or a warning of one.' });

export const shownHarvestSchema = harvestSchema
  .extend({ firstErrors: z.array(harvestErratumSchema).describe('The first 20; all are at `…/errata`.') })
  .meta({ id: 'ShownHarvest', description: 'A harvest with its first errors and warnings.' });

export const harvestsSchema = z
  .strictObject({
    collection: z.string(),
    harvests: z.array(harvestSchema).describe('Newest first.'),
    next: z.int().optional().describe('The value of `before` for the next page; absent on the last one.'),
  })
  .meta({ id: 'Harvests' });

export const harvestErrataSchema = z
  .strictObject({
    errata: z.array(harvestErratumSchema),
    next: z.int().optional().describe('The value of `at` for the next page; absent on the last one.'),
  })
  .meta({ id: 'HarvestErrors' });

export type HarvestView = z.output<typeof harvestSchema>;
export type HarvestErrorView = z.output<typeof harvestErratumSchema>;

/** @param provider the organization that has the stream of the collection */
export function harvestView(run: HarvestRun, provider: string): HarvestView {
  const { collection, number, kind, uuid, state, status, trigger, force, of, added, started, ended } = run;
  const { failure, lists, job, outcome, message, upload } = run;
  return {
    ...{ collection, number, kind, uuid, state },
    ...(status !== undefined && { status }),
    trigger: trigger.by,
    ...(trigger.by === 'trigger-file' && { file: basename(trigger.file) }),
    ...(force && { force }),
    ...(of !== undefined && { of }),
    added: formatTime(added),
    ...(started !== undefined && { started: formatTime(started) }),
    ...(ended !== undefined && { ended: formatTime(ended) }),
    ...(failure !== undefined && { failure }),
    lists: lists.map(({ token: _, hasBegunAgain: __, isComplete, ...list }) => ({
      ...list,
      complete: isComplete === true,
    })),
    ...(job !== undefined && { job }),
    ...(outcome !== undefined && { outcome: outcomeView(outcome) }),
    ...(upload !== undefined && { responses: `organizations/${provider}/uploads/${collection}/${upload}/files/1` }),
    ...(message !== undefined && { message: messageView(message) }),
  };
}

function outcomeView({ examples: _, reasons, ...counts }: NonNullable<HarvestRun['outcome']>): HarvestView['outcome'] {
  return { ...counts, reasons: reasons.map(reasonView) };
}

function messageView({ accepted, begun: _, ...message }: NonNullable<HarvestRun['message']>): HarvestView['message'] {
  return { ...message, ...(accepted !== undefined && { accepted: formatTime(accepted) }) };
}

export function harvestErrorView({ id, path, ordinal, offset, kind, reason, warning }: Erratum): HarvestErrorView {
  return {
    ...(id !== undefined && { id }),
    ...(path !== undefined && { path: [...path] }),
    ...(ordinal !== undefined && { ordinal }),
    ...(offset !== undefined && { offset }),
    ...(kind !== undefined && { kind }),
    reason,
    ...(warning && { warning }),
  };
}

/** The sum of what its lists have, and of what they said to have; undefined unless all of them have said it. */
export function receivedOf({ lists }: Pick<HarvestView, 'lists'>): Received {
  const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
  const sizes = lists.flatMap(({ completeListSize }) => (completeListSize === undefined ? [] : [completeListSize]));
  return {
    pages: sum(lists.map(({ pages }) => pages)),
    records: sum(lists.map(({ records }) => records)),
    total: lists.length > 0 && sizes.length === lists.length ? sum(sizes) : undefined,
  };
}

interface Received {
  readonly pages: number;
  readonly records: number;
  readonly total: number | undefined;
}

/** The state of a run in words: `complete`, `running` … */
export function stateText({ state, status, outcome }: Pick<HarvestView, 'state' | 'status' | 'outcome'>): string {
  if (status === undefined) return state;
  const found = outcome?.errors === 0 ? 'warnings' : 'errors';
  return { 2: 'complete', 3: `complete with ${found}`, 4: 'failed' }[status];
}

/** `1,000 records in 3 pages`, of how many when the repository has said it. */
export function receivedText(view: Pick<HarvestView, 'lists'>): string {
  const { pages, records, total } = receivedOf(view);
  const of = total === undefined ? '' : ` of ${formatCount(total)}`;
  return `${formatCount(records)}${of} ${(total ?? records) === 1 ? 'record' : 'records'} in ${formatCount(pages)} ${pages === 1 ? 'page' : 'pages'}`;
}

/** What became of its records: `3 created, 1 updated, 0 deleted, 5 unchanged`; undefined when nothing can change. */
export function changesText({ outcome }: Pick<HarvestView, 'outcome'>): string | undefined {
  if (outcome?.created === undefined) return undefined;
  const names = ['created', 'updated', 'deleted', 'unchanged'] as const;
  return names.map((name) => `${formatCount(outcome[name] ?? 0)} ${name}`).join(', ');
}
