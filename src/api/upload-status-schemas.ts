import * as z from 'zod';
import { FILE_KINDS } from '../records/forms/record-forms.ts';
import { PACKINGS } from '../records/packages/found-file.ts';
import { count, datetime } from './common-schemas.ts';

/** The shapes of the status of an upload in the JSON API. */

const takenFileSchema = z
  .strictObject({
    file: z.int().min(1).describe('The position of the file that was sent.'),
    path: z.array(z.string()).describe('Its name; in packages, the names of the packages before.'),
    packing: z.array(z.enum(PACKINGS)).describe('From the outside to the inside.'),
    kind: z.enum(FILE_KINDS),
    reason: z.string().optional().describe('Why its kind is unknown, and what to do.'),
    records: count,
    deletions: count,
    errors: count,
    warnings: count.optional().describe('As that of the totals.'),
    replaced: count
      .optional()
      .describe('Records and deletions that a later one of the upload replaces. Absent until the upload is published.'),
  })
  .meta({ id: 'TakenFile', description: 'What a file was taken for: one that was sent, or one in a package.' });

const totalsSchema = z
  .strictObject({
    files: count,
    records: count,
    deletions: count.describe('Ids of lists, and records that are marked as deleted.'),
    errors: count.describe('Records and lines that could not be read: `errors` has each.'),
    warnings: count
      .optional()
      .describe('Records that were taken over with a warning: `errors` has each, marked. Absent when there is none.'),
  })
  .meta({ id: 'UploadTotals' });

const appliedSchema = z
  .strictObject({
    at: datetime,
    created: count,
    updated: count,
    deleted: count,
    unchanged: count.describe('Those that were as the upload says already.'),
    unknown: count
      .optional()
      .describe('Deletions of ids that the stream did not have. Absent of uploads that an older version processed.'),
    superseded: count.describe('Those that a later upload has touched.'),
    replaced: count
      .optional()
      .describe('Records and deletions that a later one with the same id in the upload replaces. Absent as `unknown`.'),
  })
  .meta({
    id: 'AppliedUpload',
    description:
      'What became of the ids of an upload, each once. All numbers together are `records` and `deletions` of the totals.',
  });

const failureSchema = z
  .strictObject({
    at: datetime,
    error: z.string(),
    retries: z.boolean().describe('Whether it is tried again by itself.'),
  })
  .meta({ id: 'UploadFailure', description: 'Why the last attempt failed.' });

const reasonSchema = z
  .strictObject({
    reason: z.string().describe('With an ellipsis in place of what differs between them.'),
    count,
    warning: z.literal(true).optional().describe('As that of each.'),
  })
  .meta({ id: 'ReasonCount', description: 'How many errors or warnings of an upload have the same reason.' });

/** The fields of an upload's status. */
export const uploadStatus = {
  status: z
    .enum(['waiting', 'processing', 'processed', 'failed'])
    .describe('`waiting`: also for another attempt; `failed`: nothing of it is published.'),
  totals: totalsSchema.optional().describe('Absent until its files were read.'),
  taken: z
    .array(takenFileSchema)
    .optional()
    .describe('In the order in which they count, the first 1,000. Absent in lists, and until its files were read.'),
  ignored: count
    .optional()
    .describe('How many of the first 1,000 files are of no known kind: nothing of them is read. Absent when none is.'),
  reasons: z
    .array(reasonSchema)
    .optional()
    .describe(
      'Why there are errors and warnings, the most frequent reason first. Absent in lists, without any, and of uploads that an older version read.',
    ),
  applied: appliedSchema.optional().describe('Absent until all of it is published.'),
  failure: failureSchema.optional(),
  errors: z
    .string()
    .optional()
    .describe('Where its errors and warnings are, relative to the URL of the API; absent without any.'),
};

export const uploadErrorSchema = z
  .strictObject({
    file: z.int().min(1).describe('The position of the file that was sent.'),
    path: z.array(z.string()),
    ordinal: z.int().min(0).describe('The number of the record, or of the line, from 1.'),
    offset: z.int().min(0).describe('Bytes before it, unpacked.'),
    id: z.string().optional(),
    reason: z.string(),
    warning: z
      .literal(true)
      .optional()
      .describe('Whether the record was taken over: the reason says what was repaired or left out. Absent otherwise.'),
  })
  .meta({ id: 'UploadError', description: 'A record, or a line, that could not be read; or a warning of a record.' });
