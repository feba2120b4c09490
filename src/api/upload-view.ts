import * as z from 'zod';
import { formatCount } from '../lib/format-count.ts';
import { MOST_UPLOAD_NAME, type Sender, shownUrl, type Upload } from '../records/arrivals/upload.ts';
import {
  type AppliedUpload,
  filesOf,
  type RemovedUpload,
  statusOf,
  type UploadState,
} from '../records/arrivals/upload-state.ts';
import type { ListedUploads, UploadPage } from '../records/arrivals/uploads.ts';
import { FILE_KINDS } from '../records/forms/record-forms.ts';
import { LINE } from '../records/organization.ts';
import { PACKINGS } from '../records/packages/found-file.ts';
import { count, datetime, formatTime } from './fields.ts';

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

const senderSchema = z
  .strictObject({
    token: z.string().optional().describe('The id of the token; absent on the command line.'),
    name: z.string().optional().describe('The name of the token, or of the user who ran a command.'),
    address: z.string().optional().describe('The network address of the client; absent on the command line.'),
  })
  .meta({ id: 'UploadSender', description: 'Who asked for it. Only for those who manage the organization.' });

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
      'Why there are errors and warnings, the most frequent reason first. Absent in lists, without any, and of uploads that an older version read.',
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
    fileUrl: z
      .string()
      .optional()
      .describe('Where the file is fetched from, when the upload named a URL; without the query of that.'),
    files: z.array(fileSchema).describe('In the order in which they came. None when it was removed.'),
    readsAgain: z
      .literal(true)
      .optional()
      .describe('It has no files: those of earlier uploads of the stream are read again. Absent otherwise.'),
    removes: z.int().min(1).optional().describe('The number of the upload that it removes, when it reads again.'),
    reason: z.string().optional().describe('Why it removes that.'),
    by: senderSchema.optional(),
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

/** Who reads a view of uploads. */
export interface UploadReader {
  /** Whether the reader manages the organization. */
  readonly seesSenders?: boolean | undefined;
}

/** An upload with its status. @param state undefined before anything was done */
export function uploadView(upload: Upload, state: UploadState | undefined, reader?: UploadReader): UploadView {
  const { read, applied } = state ?? {};
  const taken = read?.files.map(({ path, packing, ...file }, at) => ({
    ...file,
    path: [...path],
    packing: [...packing],
    ...(applied?.replaced !== undefined && { replaced: applied.replacedInFiles?.[at] ?? 0 }),
  }));
  return {
    ...listedUploadView(upload, state, reader),
    ...(taken !== undefined && { taken }),
    ...(read?.reasons !== undefined && { reasons: [...read.reasons] }),
  };
}

/** The same, for lists. */
export function listedUploadView(
  upload: Upload,
  state: UploadState | undefined,
  reader: UploadReader = {},
): UploadView {
  const { organization, stream, number, received, name, url: from, readsAgain, by } = upload;
  const url = `organizations/${organization}/uploads/${stream}/${number}`;
  return {
    organization,
    stream,
    number,
    received: formatTime(received),
    ...(name !== undefined && { name }),
    ...(from !== undefined && state?.removed === undefined && { fileUrl: shownUrl(from) }),
    files: filesOf(upload, state).map(({ name, length, sha256 }, at) => ({
      ...{ name, length, sha256, url: `${url}/files/${at + 1}` },
    })),
    ...(readsAgain !== undefined && { readsAgain: true as const }),
    ...(readsAgain?.removes !== undefined && { removes: readsAgain.removes, reason: readsAgain.reason ?? '' }),
    ...(reader.seesSenders && by && { by: senderView(by) }),
    status: statusOf(state),
    ...(state?.removed !== undefined && { removed: removedView(state.removed, reader) }),
    ...(state !== undefined && outcome(state)),
    ...(state?.read?.errata !== undefined && { errors: `${url}/errors` }),
  };
}

const senderView = ({ token, name, address }: Sender): NonNullable<UploadView['by']> => ({
  ...(token !== undefined && { token }),
  ...(name !== undefined && { name }),
  ...(address !== undefined && { address }),
});

function removedView({ at, reason, delivery, by }: RemovedUpload, { seesSenders }: UploadReader) {
  return { at: formatTime(at), reason, delivery, ...(seesSenders && by && { by: senderView(by) }) };
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
      failure: { at: formatTime(failure.at), error: failure.error, retries: !failure.isFinal },
    }),
  };
}

function appliedView({
  at,
  replacedInFiles: _,
  unmentioned: __,
  ...counts
}: AppliedUpload): NonNullable<UploadView['applied']> {
  return { at: formatTime(at), ...counts };
}

export function uploadsView(
  organization: string,
  { stream, uploads, states }: ListedUploads,
  { limit, ...reader }: UploadPage & UploadReader,
): UploadsView {
  const last = uploads.at(-1)?.number ?? 1;
  return {
    organization,
    ...(stream !== undefined && { stream }),
    uploads: uploads.map((upload) => listedUploadView(upload, states.get(upload.number), reader)),
    ...(uploads.length === limit && last > 1 && { next: last }),
  };
}

/** What became of the ids of an upload, for people: `3 created, 1 updated, 0 deleted, 5 unchanged`. */
export function describeApplied(applied: NonNullable<UploadView['applied']>): string {
  const { created, updated, deleted, unchanged, unknown = 0, superseded, replaced = 0 } = applied;
  return [
    `${formatCount(created)} created`,
    `${formatCount(updated)} updated`,
    `${formatCount(deleted)} deleted`,
    `${formatCount(unchanged)} unchanged`,
    unknown > 0 && `${formatCount(unknown)} to delete that did not exist`,
    superseded > 0 && `${formatCount(superseded)} changed by later uploads already`,
    replaced > 0 && `${formatCount(replaced)} replaced by later ones of this upload`,
  ]
    .filter(Boolean)
    .join(', ');
}
