import * as z from 'zod';
import type { ResumableStatus } from '../records/arrivals/resumable/resumable-uploads.ts';

export const resumableSchema = z
  .strictObject({
    id: z.string(),
    url: z.string().describe('Where it is, relative to the URL of the API.'),
    organization: z.string(),
    stream: z.string(),
    name: z.string().optional().describe('What its sender calls the upload.'),
    files: z
      .array(
        z.strictObject({ name: z.string(), length: z.int().min(0).optional().describe('Bytes; absent until known.') }),
      )
      .describe('In the order of their bytes.'),
    length: z.int().min(0).optional().describe('Bytes of all files; absent until it is known.'),
    offset: z.int().min(0).describe('Bytes that are stored, durably.'),
    created: z.string().meta({ format: 'date-time' }),
    expires: z.string().meta({ format: 'date-time' }).describe('When it is removed if nothing more comes.'),
    upload: z
      .strictObject({
        number: z.int().min(1),
        url: z.string().describe('Where the upload is, relative to the URL of the API.'),
      })
      .optional()
      .describe('What it has become when its last byte was stored.'),
  })
  .meta({ id: 'ResumableUpload', description: 'A file, or several, that are sent in several requests.' });

export const resumablesSchema = z
  .strictObject({
    organization: z.string(),
    uploads: z.array(resumableSchema).describe('Oldest first.'),
  })
  .meta({ id: 'ResumableUploads', description: 'The unfinished resumable uploads of an organization.' });

type ResumableView = z.output<typeof resumableSchema>;
export type ResumablesView = z.output<typeof resumablesSchema>;

export function resumableView({ upload, offset, expires }: ResumableStatus): ResumableView {
  const { id, organization, stream, name, files, length, created, done } = upload;
  const url = `organizations/${organization}/resumable-uploads/${id}`;
  const uploadUrl = `organizations/${organization}/uploads/${stream}/${done?.number}`;
  return {
    id,
    url,
    organization,
    stream,
    files: [...files],
    length,
    offset,
    created: new Date(created).toISOString(),
    expires: new Date(expires).toISOString(),
    ...(name !== undefined && { name }),
    ...(done !== undefined && { upload: { number: done.number, url: uploadUrl } }),
  };
}
