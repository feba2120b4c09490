import { basename } from 'node:path';
import * as z from 'zod';
import { parseCron } from '../lib/cron.ts';
import type { RepositoryDescription } from '../records/arrivals/oai-harvest/repository-description.ts';
import type { Collection, CollectionFields } from '../records/collections/collection.ts';
import { idPattern, LINE, MOST_OF_COLLECTION, MOST_TITLE } from '../records/organization.ts';
import { MOST_CRON } from '../records/stream-dump-settings.ts';
import { isTransformFile } from '../records/transforms/load-transform.ts';
import { datetime, formatTime } from './fields.ts';

/** The shapes of collections in the JSON API. */

const MOST_URL = 2_000;
const MOST_TEXT = 1_000;

const id = z.string().meta({ pattern: idPattern(MOST_OF_COLLECTION), maxLength: MOST_OF_COLLECTION });
const url = z.string().meta({ maxLength: MOST_URL });
const text = z.string().meta({ pattern: LINE, maxLength: MOST_TEXT });
const cron = z.string().meta({ maxLength: MOST_CRON });

/** The settings that can be absent. */
const optional = {
  title: z.string().meta({ pattern: LINE, maxLength: MOST_TITLE }),
  transform: text.describe(
    '`nsdl_dc`, `oai_dc`, or the whole path of a sheet (`.xsl`) or mapping (`.json`) below one of `apiRoots`. Modules are for the command line alone.',
  ),
  handle: text.describe("The handle of NSDL's metadata provider: the `collectionNA` of trigger files."),
  message: url.describe('Requested at the end of each run, with `status`, `uuid` and `ts`.'),
  schedule: cron.describe('When it is harvested by itself: a pattern of CRON, such as 15 2 * * *.'),
  fullSchedule: cron.describe('When all of it is harvested again: a full run removes what it did not see.'),
};

const settings = {
  baseUrl: url.describe('The address of the OAI-PMH repository.'),
  format: text.describe('The prefix of its metadata format, such as `oai_dc`.'),
  sets: z.array(text).describe('The setSpecs to harvest; empty: all records.'),
  malformed: z
    .enum(['stop', 'skip'])
    .describe(
      'What malformed XML does: `stop` ends the run with status 4; `skip` leaves out the records that have it.',
    ),
  validate: z.boolean().describe('Whether the metadata of each record is checked by the schema of its format.'),
  requireUri: z.boolean().describe('Whether each record must have an identifier that is a http, https or ftp URI.'),
};

const repositorySchema = z
  .strictObject({
    name: z.string(),
    granularity: z.enum(['day', 'second']),
    deletions: z.enum(['no', 'transient', 'persistent']).describe('`deletedRecord` of Identify.'),
    earliest: z.string(),
    formats: z.array(z.strictObject({ prefix: z.string(), namespace: z.string(), schema: z.string() })),
    sets: z
      .array(z.strictObject({ spec: z.string(), name: z.string() }))
      .optional()
      .describe('The first 10,000; absent when it has no sets.'),
    static: z.literal(true).optional().describe('Whether it is a static repository: one document with all records.'),
  })
  .meta({ id: 'OaiRepository', description: 'What the repository has last answered to Identify and its lists.' });

export const collectionSchema = z
  .strictObject({
    collection: z.string().describe('Its id, which is that of its set, and of its stream.'),
    provider: z.string().describe('The organization that has its stream.'),
    ...settings,
    ...z.object(optional).partial().shape,
    transform: optional.transform.optional().describe('The whole path of a file is for administrators.'),
    message: optional.message.optional().describe('For administrators.'),
    created: datetime,
    next: datetime.optional().describe('When it is next harvested by itself.'),
    repository: repositorySchema,
  })
  .meta({ id: 'Collection', description: 'An OAI-PMH repository, or some sets of it, in one metadata format.' });

export const collectionsSchema = z.strictObject({ collections: z.array(collectionSchema) });

export const newCollectionSchema = z
  .strictObject({
    collection: id.describe('Its id, which stays.'),
    provider: id
      .optional()
      .describe('The organization that gets its stream. Without it, one with the id of the collection.'),
    baseUrl: settings.baseUrl,
    format: settings.format,
    ...z
      .object({ ...settings, ...optional })
      .omit({ baseUrl: true, format: true })
      .partial().shape,
  })
  .meta({
    id: 'NewCollection',
    examples: [
      { collection: 'arxiv', baseUrl: 'https://oai.example.org/oai', format: 'oai_dc', schedule: '15 2 * * *' },
    ],
  });

export const changedCollectionSchema = z
  .strictObject(z.object({ ...settings, ...optional }).partial().shape)
  .meta({ id: 'CollectionChanges', description: 'What is absent does not change; an empty text removes it.' });

export type CollectionView = z.output<typeof collectionSchema>;

interface CollectionReader {
  /** Whether its reader may see paths of the server, and where messages are sent. */
  readonly isWhole: boolean;
  /** The time zone of schedules. */
  readonly timeZone: string;
}

export function collectionView(collection: Collection, { isWhole, timeZone }: CollectionReader): CollectionView {
  const { id: collectionId, provider, created, repository, message, transform, sets, ...fields } = collection;
  const { validate = false, requireUri = false, scheduledSince: _, removed: __, ...others } = fields;
  const shownTransform =
    transform !== undefined && !isWhole && isTransformFile(transform) ? basename(transform) : transform;
  const next = nextRun(collection, timeZone);
  return {
    collection: collectionId,
    provider,
    ...others,
    sets: [...sets],
    validate,
    requireUri,
    ...(shownTransform !== undefined && { transform: shownTransform }),
    ...(message !== undefined && isWhole && { message }),
    created: formatTime(created),
    ...(next !== undefined && { next: formatTime(next) }),
    repository: repositoryView(repository),
  };
}

function repositoryView({ isStatic, formats, sets, ...said }: RepositoryDescription): CollectionView['repository'] {
  return {
    ...said,
    formats: [...formats],
    ...(sets !== undefined && { sets: [...sets] }),
    ...(isStatic && { static: isStatic }),
  };
}

/** When a schedule next adds a run, in milliseconds since 1970. */
function nextRun({ schedule, fullSchedule }: CollectionFields, timeZone: string): number | undefined {
  const times = [schedule, fullSchedule].flatMap((pattern) => {
    const time = pattern === undefined ? undefined : parseCron(pattern, timeZone).nextRun()?.getTime();
    return time === undefined ? [] : [time];
  });
  return times.length === 0 ? undefined : Math.min(...times);
}
