import { uploadSchema } from '../../../api/upload-schemas.ts';
import { uploadErrorSchema } from '../../../api/upload-status-schemas.ts';
import { json, NO_PARAMETERS, type Operation } from '../../request/operation.ts';

/** Requests and responses about the status of uploads; upload-status-routes.ts handles them. */

const NO_UPLOAD = { status: 404, description: 'There is no such upload.' };
const NOT_READ = { status: 409, description: 'The files of the upload were not read yet.' };

export const LIST_UPLOAD_ERRORS = {
  id: 'listUploadErrors',
  tag: 'uploads',
  summary: 'Every record of an upload that could not be read, with its position and the reason',
  description: 'Streamed: the connection is cut when something fails on the way.',
  query: NO_PARAMETERS,
  answers: [
    {
      status: 200,
      description: 'A line for each; empty when there is none.',
      content: { 'application/x-ndjson': { lines: uploadErrorSchema } },
    },
    NO_UPLOAD,
    NOT_READ,
  ],
} satisfies Operation;

export const UPLOAD_ERRORS_AS_CSV = {
  id: 'uploadErrorsAsCsv',
  tag: 'uploads',
  summary: 'The same as CSV, for spreadsheets',
  query: NO_PARAMETERS,
  answers: [
    { status: 200, description: 'A line for each, after one of names.', content: { 'text/csv': 'text' } },
    NO_UPLOAD,
    NOT_READ,
  ],
} satisfies Operation;

export const RETRY_UPLOAD = {
  id: 'retryUpload',
  tag: 'uploads',
  summary: 'Has an upload processed again that has failed, or at once when it waits for another attempt',
  query: NO_PARAMETERS,
  answers: [
    json(uploadSchema, 'The upload: it is processed soon.'),
    NO_UPLOAD,
    { status: 409, description: 'The upload has not failed.' },
  ],
} satisfies Operation;
