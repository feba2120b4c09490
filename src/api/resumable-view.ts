import * as z from 'zod';
import type { ResumableStatus } from '../streams/resumable/resumable-uploads.ts';

export const resumableSchema = z
  .strictObject({
    id: z.string(),
    organization: z.string(),
    stream: z.string(),
    name: z.string().optional().describe('What its sender calls the upload.'),
    files: z
      .array(z.strictObject({ name: z.string(), length: z.int().min(0).describe('Bytes.') }))
      .describe('In the order of their bytes.'),
    length: z.int().min(0).describe('Bytes of all files.'),
    offset: z.int().min(0).describe('Bytes that are stored, durably.'),
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

export type ResumableView = z.output<typeof resumableSchema>;

export function resumableView({ upload, offset, expires }: ResumableStatus): ResumableView {
  const { id, organization, stream, name, files, length, done } = upload;
  const url = `organizations/${organization}/uploads/${stream}/${done?.number}`;
  return {
    ...{ id, organization, stream, files: [...files], length, offset, expires: new Date(expires).toISOString() },
    ...(name !== undefined && { name }),
    ...(done !== undefined && { upload: { number: done.number, url } }),
  };
}
