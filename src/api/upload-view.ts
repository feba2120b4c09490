import * as z from 'zod';
import { formatCount } from '../lib/format-count.ts';
import { MOST_UPLOAD_NAME, shownUrl, type Upload } from '../records/arrivals/upload.ts';
import {
  type AppliedUpload,
  filesOf,
  type RemovedUpload,
  statusOf,
  type UploadFailure,
  type UploadState,
} from '../records/arrivals/upload-state.ts';
import type { ListedUploads, UploadPage } from '../records/arrivals/uploads.ts';
import { FILE_KINDS } from '../records/forms/record-forms.ts';
import { LINE } from '../records/organization.ts';
import { PACKINGS } from '../records/packages/found-file.ts';
import { count, datetime, formatTime } from './fields.ts';
import { reasonSchema, reasonView } from './reason-view.ts';
import { type SeenOfSenders, senderSchema, senderView } from './sender-view.ts';

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
    unmentioned: count.optional().describe('Records that a full upload did not mention, which were deleted.'),
    replaced: count
      .optional()
      .describe('Records and deletions that a later one with the same id in the upload replaces. Absent as `unknown`.'),
  })
  .meta({
    id: 'AppliedUpload',
    description:
      'What became of the ids of an upload, each once. All numbers but `unmentioned` are together `records` and `deletions` of the totals.',
  });

const failureSchema = z
  .strictObject({
    at: datetime,
    error: z.string(),
    retries: z.boolean().describe('Whether it is tried again by itself.'),
    nextAt: datetime
      .optional()
      .describe('When its file is fetched again, which may be some seconds later. Absent unless it was not fetched.'),
  })
  .meta({ id: 'UploadFailure', description: 'Why the last attempt failed.' });

const removedSchema = z
  .strictObject({
    at: datetime,
    reason: z.string(),
    delivery: z.int().min(1).describe('The number of the delivery that removes it.'),
    by: senderSchema.optional(),
  })
  .meta({ id: 'RemovedUpload', description: 'Its files, records and errors are answered with 410, and deleted.' });

/** The fields of an upload's status. */
const uploadStatus = {
  status: z
    .enum(['waiting', 'processing', 'processed', 'failed', 'removed'])
    .describe(
      '`waiting`: also for another attempt; `failed`: nothing of it is published; `removed`: the stream is as if it had not come, once the delivery that removes it is processed.',
    ),
  removed: removedSchema.optional().describe('Absent unless it was removed.'),
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
      'Why there are errors and warnings, the most frequent reason first, with likely cause and what to do. Absent in lists, without any, and of uploads that an older version read.',
    ),
  applied: appliedSchema.optional().describe('Absent until all of it is published.'),
  failure: failureSchema.optional(),
  errors: z
    .string()
    .optional()
    .describe('Where its errors and warnings are, relative to the URL of the API; absent without any.'),
};

/** The shapes of uploads in the JSON API. */

export const givenUploadName = z.string().meta({ pattern: LINE, maxLength: MOST_UPLOAD_NAME });

const fileSchema = z
  .strictObject({
    name: z.string().describe('As its sender calls it. Other files may have the same name.'),
    length: z.int().min(0).describe('Bytes.'),
    sha256: z.string().describe('Hexadecimal.'),
    url: z.string().describe('Where its bytes are, relative to the URL of the API.'),
  })
  .meta({ id: 'UploadedFile', description: 'A file as it came.' });

export const uploadSchema = z
  .strictObject({
    organization: z.string(),
    stream: z.string(),
    number: z.int().min(1).describe('The order of arrival in the stream, from 1.'),
    received: z.string().meta({ format: 'date-time' }).describe('Later than that of every lower number.'),
    name: z.string().optional(),
    full: z.literal(true).optional().describe('It replaces all records that the stream had; absent of others.'),
    fileUrl: z
      .string()
      .optional()
      .describe('Where the file is fetched from, when the upload named a URL; without the query of that.'),
    by: senderSchema.optional(),
    files: z.array(fileSchema).describe('In the order in which they came. None when it was removed.'),
    originalsRemoved: datetime.optional().describe('Since when its files are kept no longer: their URLs answer 410.'),
    readsAgain: z
      .literal(true)
      .optional()
      .describe('It has no files: those of earlier uploads of the stream are read again. Absent otherwise.'),
    removes: z.int().min(1).optional().describe('The number of the upload that it removes, when it reads again.'),
    reason: z.string().optional().describe('Why it removes that.'),
    ...uploadStatus,
  })
  .meta({ id: 'Upload', description: 'Files that an organization has delivered together.' });

export const uploadsSchema = z
  .strictObject({
    organization: z.string(),
    stream: z.string().optional().describe('Absent when the organization has no stream.'),
    uploads: z.array(uploadSchema).describe('Newest first.'),
    next: z.int().optional().describe('The value of `before` for the next page; absent on the last one.'),
  })
  .meta({ id: 'Uploads', description: 'Uploads of a stream.' });

export type UploadView = z.output<typeof uploadSchema>;

type UploadsView = z.output<typeof uploadsSchema>;

/** An upload with its status. @param state undefined before anything was done */
export function uploadView(upload: Upload, state: UploadState | undefined, sees: SeenOfSenders = 'none'): UploadView {
  const { read, applied } = state ?? {};
  const taken = read?.files.map(({ path, packing, ...file }, at) => ({
    ...file,
    path: [...path],
    packing: [...packing],
    ...(applied?.replaced !== undefined && { replaced: applied.replacedInFiles?.[at] ?? 0 }),
  }));
  return {
    ...listedUploadView(upload, state, sees),
    ...(taken !== undefined && { taken }),
    ...(read?.reasons !== undefined && { reasons: read.reasons.map(reasonView) }),
  };
}

/** The same, for lists. */
export function listedUploadView(
  upload: Upload,
  state: UploadState | undefined,
  sees: SeenOfSenders = 'none',
): UploadView {
  const by = senderView(upload.by, sees);
  const { organization, stream, number, received, name, url: from, readsAgain } = upload;
  const url = `organizations/${organization}/uploads/${stream}/${number}`;
  return {
    organization,
    stream,
    number,
    received: formatTime(received),
    ...(name !== undefined && { name }),
    ...(upload.unmentioned !== undefined && { full: true as const }),
    ...(from !== undefined && state?.removed === undefined && { fileUrl: shownUrl(from) }),
    ...(by !== undefined && { by: { ...by } }),
    files: filesOf(upload, state).map(({ name, length, sha256 }, at) => ({
      ...{ name, length, sha256, url: `${url}/files/${at + 1}` },
    })),
    ...(state?.originalsRemoved !== undefined && { originalsRemoved: formatTime(state.originalsRemoved) }),
    ...(readsAgain !== undefined && { readsAgain: true as const }),
    ...(readsAgain?.removes !== undefined && { removes: readsAgain.removes, reason: readsAgain.reason ?? '' }),
    status: statusOf(state),
    ...(state?.removed !== undefined && { removed: removedView(state.removed, sees) }),
    ...(state !== undefined && outcome(state)),
    ...(state?.read?.errata !== undefined && { errors: `${url}/errors` }),
  };
}

function removedView({ at, reason, delivery, by }: RemovedUpload, sees: SeenOfSenders) {
  const sender = senderView(by, sees);
  return { at: formatTime(at), reason, delivery, ...(sender !== undefined && { by: { ...sender } }) };
}

type Outcome = Pick<UploadView, 'totals' | 'ignored' | 'applied' | 'failure'>;

function outcome({ read, applied, failure, removed }: UploadState): Outcome {
  if (removed !== undefined) return {};
  const ignored = read?.files.filter(({ reason }) => reason !== undefined).length ?? 0;
  return {
    ...(read !== undefined && { totals: { ...read.totals } }),
    ...(ignored > 0 && { ignored }),
    ...(applied !== undefined && { applied: appliedView(applied) }),
    ...(failure !== undefined && {
      failure: failureView(failure),
    }),
  };
}

function failureView({ at, error, isFinal, fetchAgain }: UploadFailure): z.infer<typeof failureSchema> {
  const next = fetchAgain && { nextAt: formatTime(fetchAgain.nextAt) };
  return { at: formatTime(at), error, retries: !isFinal, ...next };
}

function appliedView({ at, replacedInFiles: _, ...counts }: AppliedUpload): NonNullable<UploadView['applied']> {
  return { at: formatTime(at), ...counts };
}

export function uploadsView(
  organization: string,
  { stream, uploads, states }: ListedUploads,
  { limit, sees }: UploadPage & { readonly sees: SeenOfSenders },
): UploadsView {
  const last = uploads.at(-1)?.number ?? 1;
  return {
    organization,
    ...(stream !== undefined && { stream }),
    uploads: uploads.map((upload) => listedUploadView(upload, states.get(upload.number), sees)),
    ...(uploads.length === limit && last > 1 && { next: last }),
  };
}

/** What became of the ids of an upload, for people: `3 created, 1 updated, 0 deleted, 5 unchanged`. */
export function describeApplied(applied: NonNullable<UploadView['applied']>): string {
  const { created, updated, deleted, unchanged, unknown = 0, superseded, replaced = 0, unmentioned = 0 } = applied;
  return [
    `${formatCount(created)} created`,
    `${formatCount(updated)} updated`,
    `${formatCount(deleted)} deleted`,
    `${formatCount(unchanged)} unchanged`,
    unknown > 0 && `${formatCount(unknown)} to delete that did not exist`,
    superseded > 0 && `${formatCount(superseded)} changed by later uploads already`,
    unmentioned > 0 && `${formatCount(unmentioned)} deleted that it did not mention`,
    replaced > 0 && `${formatCount(replaced)} replaced by later ones of this upload`,
  ]
    .filter(Boolean)
    .join(', ');
}
