import * as z from 'zod';
import { optionalText, statedCount } from '../parse-reply.ts';

const id = z.union([z.string(), z.int()], 'use a text or a number');
const pids = z.object({ doi: z.object({ identifier: optionalText }).nullish() }).nullish();

/** A file of any shape: `key` and `size`, or `filename` and `filesize` in the oldest replies. */
const file = z
  .object({
    id: id.nullish(),
    file_id: id.nullish(),
    key: optionalText,
    filename: optionalText,
    size: statedCount.nullish(),
    filesize: statedCount.nullish(),
    checksum: optionalText,
    mimetype: optionalText,
    links: z.object({ content: optionalText, download: optionalText, self: optionalText }).nullish(),
  })
  .refine(({ key, filename }) => Boolean(key || filename), { message: 'is missing', path: ['key'] })
  .refine(({ size, filesize }) => (size ?? filesize ?? undefined) !== undefined, {
    message: 'is missing',
    path: ['size'],
  });

/** Entries by name, or a list of them. Names may be any text, such as `__proto__`. */
const entries = z.preprocess(
  (value) => (typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.values(value) : value),
  z.array(file),
);

/** The files of a record, in the record or at its `/files`. */
const fileList = z.object({
  enabled: z.boolean().nullish(),
  count: statedCount.nullish(),
  entries: entries.nullish(),
  links: z.object({ archive: optionalText }).nullish(),
});

/** The reply at `/api/records/ID/files`. */
export const filesReply = fileList;

/** The files in a reply of zenodo.org. */
export const listedFiles = z.object({ files: z.array(file) });

/** The files in a reply of other InvenioRDM. */
export const filesByName = z.object({ files: fileList.nullish() });

/** The reply at `/api/records/ID`, as zenodo.org answers and as other InvenioRDM do. */
export const recordReply = z.object({
  id,
  is_draft: z.boolean().nullish(),
  doi: optionalText,
  conceptdoi: optionalText,
  conceptrecid: id.nullish(),
  pids,
  parent: z.object({ id: id.nullish(), pids }).nullish(),
  links: z.object({ archive: optionalText }).nullish(),
  access: z
    .object({
      files: optionalText,
      embargo: z.object({ active: z.boolean().nullish(), until: optionalText }).nullish(),
    })
    .nullish(),
  metadata: z.object({
    title: optionalText,
    publication_date: optionalText,
    description: optionalText,
    access_right: optionalText,
    embargo_date: optionalText,
    creators: z.unknown().optional(),
    license: z.unknown().optional(),
    rights: z.unknown().optional(),
  }),
  /** Checked by `listedFiles` or `filesByName`. */
  files: z.unknown().optional(),
});

export type RecordFile = z.output<typeof file>;
export type RecordReply = z.output<typeof recordReply>;
