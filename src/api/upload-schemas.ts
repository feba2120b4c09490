import * as z from 'zod';
import { MOST_UPLOAD_NAME } from '../records/arrivals/upload.ts';
import { LINE } from '../records/organization.ts';
import { uploadStatus } from './upload-status-schemas.ts';

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
    files: z.array(fileSchema).describe('In the order in which they came.'),
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
export type UploadsView = z.output<typeof uploadsSchema>;
