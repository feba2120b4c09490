import * as z from 'zod';
import { resumableSchema, resumablesSchema } from '../../../api/resumable-view.ts';
import { json, NO_PARAMETERS, type Operation } from '../../request/operation.ts';
import type { AnswerHeader } from '../../request/operation-headers.ts';
import { text } from '../../request/query-parameters.ts';
import { TUS_BODY } from './tus.ts';

/** Requests and responses of resumable uploads, by tus 1.0; resumable-routes.ts handles them. */

const STATUS_HEADERS: readonly AnswerHeader[] = ['Tus-Resumable', 'Upload-Offset', 'Upload-Expires', 'Tidemark-Upload'];
const OTHER_VERSION = { status: 412, description: 'The header `Tus-Resumable` is missing, or not `1.0.0`.' };
const NONE = { status: 404, description: 'There is no such resumable upload: it never was, or was removed.' };

export const DESCRIBE_TUS = {
  id: 'describeTus',
  tag: 'uploads',
  summary: 'Which version and extensions of tus are supported',
  query: NO_PARAMETERS,
  answers: [
    {
      status: 204,
      description: 'Says it in headers.',
      headers: ['Tus-Resumable', 'Tus-Version', 'Tus-Extension', 'Tus-Max-Size'],
    },
  ],
} satisfies Operation;

export const BEGIN_RESUMABLE = {
  id: 'beginResumableUpload',
  tag: 'uploads',
  summary: 'Begins files that are sent in several requests, by tus 1.0',
  description:
    'Send `Tus-Resumable: 1.0.0`, `Upload-Length`, and `Upload-Metadata` with `filename`, and if wanted `stream` and `name` (of the upload), each in Base64. Several files of one upload are sent one behind the other: in place of `filename`, `files` is JSON such as `[{"name": "a.mrc", "length": 123}]`, and `Upload-Length` is the sum. The header `Location` has where the bytes go.',
  query: z.strictObject({ stream: text('The stream; the default one without it.', 'main') }),
  answers: [
    { status: 201, description: 'It is begun.', headers: ['Location', ...STATUS_HEADERS] },
    { status: 404, description: 'There is no such organization, or stream of it.' },
    { status: 409, description: 'The stream is archived, or too many are unfinished.' },
    OTHER_VERSION,
    { status: 413, description: '`Upload-Length` is above `Tus-Max-Size`.' },
  ],
} satisfies Operation;

export const LIST_RESUMABLE = {
  id: 'listResumableUploads',
  tag: 'uploads',
  summary: 'The unfinished resumable uploads of an organization, oldest first',
  description:
    'Those of all streams, at most 100. Go on with one, or delete it, at its `url`, with `Tus-Resumable: 1.0.0`.',
  query: NO_PARAMETERS,
  answers: [
    { ...json(resumablesSchema, 'The uploads.'), headers: ['Tus-Resumable'] },
    { status: 404, description: 'There is no such organization.' },
  ],
} satisfies Operation;

export const SHOW_RESUMABLE = {
  id: 'showResumableUpload',
  tag: 'uploads',
  summary: 'How far a resumable upload has come',
  description:
    'HEAD is what clients of tus ask before they go on. When all bytes are stored and it has become an upload, the answer has its number, for a day, unless hundreds of others have followed.',
  query: NO_PARAMETERS,
  answers: [
    { ...json(resumableSchema, 'Its state.'), headers: ['Upload-Length', 'Upload-Metadata', ...STATUS_HEADERS] },
    NONE,
    { status: 409, description: 'It is whole, but its stream was archived meanwhile.' },
  ],
} satisfies Operation;

export const SEND_RESUMABLE = {
  id: 'sendResumableUpload',
  tag: 'uploads',
  summary: 'Sends the next bytes of a resumable upload',
  description:
    'Send `Tus-Resumable: 1.0.0`, and `Upload-Offset` with the number of bytes that are stored. What came before a break is stored. With the last byte, the files become an upload.',
  query: NO_PARAMETERS,
  body: { [TUS_BODY]: 'bytes' },
  answers: [
    { status: 204, description: 'The bytes are stored, durably.', headers: STATUS_HEADERS },
    NONE,
    { status: 409, description: 'Another number of bytes is stored, or the stream was archived meanwhile.' },
    OTHER_VERSION,
  ],
} satisfies Operation;

export const REMOVE_RESUMABLE = {
  id: 'removeResumableUpload',
  tag: 'uploads',
  summary: 'Cancels a resumable upload',
  description: 'What was stored of it is removed. An upload that it has become stays.',
  query: NO_PARAMETERS,
  answers: [{ status: 204, description: 'It was removed.', headers: ['Tus-Resumable'] }, NONE, OTHER_VERSION],
} satisfies Operation;
