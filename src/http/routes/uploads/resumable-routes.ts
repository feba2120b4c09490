import * as z from 'zod';
import { type ResumablesView, resumableSchema, resumablesSchema, resumableView } from '../../../api/resumable-view.ts';
import { fullUploadOf } from '../../../records/arrivals/full-upload.ts';
import { MOST_LENGTH } from '../../../records/arrivals/resumable/resumable-upload.ts';
import { param } from '../../request/admitted.ts';
import { json, NO_PARAMETERS } from '../../request/operation.ts';
import type { AnswerHeader } from '../../request/operation-headers.ts';
import { streamParameter } from '../../request/query-parameters.ts';
import { requestBody } from '../../request/request-body.ts';
import { get, options, patch, post, type Route, remove } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { setCaching } from '../../response/caching.ts';
import { sendJson } from '../../response/send-json.ts';
import { sentBy } from '../../response/upload-senders.ts';
import {
  bytesOf,
  filesOf,
  lengthOf,
  metadataOf,
  requireTus,
  setStatus,
  TUS_BODY,
  TUS_EXTENSIONS,
  TUS_PATH,
  TUS_VERSION,
} from './tus.ts';

const STATUS_HEADERS: readonly AnswerHeader[] = ['Tus-Resumable', 'Upload-Offset', 'Upload-Expires', 'Tidemark-Upload'];
const OTHER_VERSION = { status: 412, description: 'The header `Tus-Resumable` is missing, or not `1.0.0`.' };
const NONE = { status: 404, description: 'There is no such resumable upload: it never was, or was removed.' };

const ONE = `${TUS_PATH}/:upload`;

/** Files that are sent in several requests, by tus 1.0. @param stopping ends bodies that are being read */
export function resumableRoutes(
  { records: { resumableUploads }, configuration: { idleTimeoutMs } }: ServedApp,
  stopping: AbortSignal,
): readonly Route[] {
  return [
    options(TUS_PATH, {
      action: 'upload-files',
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
      handle(_request, response) {
        response.set({
          'Tus-Version': TUS_VERSION,
          'Tus-Extension': TUS_EXTENSIONS,
          'Tus-Max-Size': String(MOST_LENGTH),
        });
        response.status(204).end();
      },
    }),

    get(TUS_PATH, {
      action: 'upload-files',
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
      async handle(request, response) {
        const organization = param(request, 'org');
        const uploads = (await resumableUploads.unfinished(organization)).map(resumableView);
        sendJson(response, { organization, uploads } satisfies ResumablesView);
      },
    }),

    post(TUS_PATH, {
      action: 'upload-files',
      id: 'beginResumableUpload',
      tag: 'uploads',
      summary: 'Begins files that are sent in several requests, by tus 1.0',
      description:
        'Send `Tus-Resumable: 1.0.0`, `Upload-Length`, and `Upload-Metadata` with `filename`, and if wanted `stream`, `name` (of the upload), `full` and `accept_drop` (`yes`), each in Base64. Several files of one upload are sent one behind the other: in place of `filename`, `files` is JSON such as `[{"name": "a.mrc", "length": 123}]`, and `Upload-Length` is the sum. Of one file whose length is not known yet, send `Upload-Defer-Length: 1` in place of `Upload-Length`. The header `Location` has where the bytes go.',
      query: z.strictObject({ stream: streamParameter() }),
      answers: [
        { status: 201, description: 'It is begun.', headers: ['Location', ...STATUS_HEADERS] },
        { status: 404, description: 'There is no such organization, or stream of it.' },
        { status: 409, description: 'The stream is archived, or too many are unfinished.' },
        OTHER_VERSION,
        { status: 413, description: '`Upload-Length` is above `Tus-Max-Size`.' },
      ],
      async handle(request, response, query) {
        requireTus(request.headers);
        const header = request.get('Upload-Metadata') ?? '';
        const metadata = metadataOf(header);
        const length = lengthOf(request.headers);
        const status = await resumableUploads.begin(param(request, 'org'), {
          stream: query.stream ?? (metadata.get('stream') || undefined),
          name: metadata.get('name'),
          by: sentBy(request, response),
          files: filesOf(metadata, length),
          length,
          metadata: header,
          ...fullUploadOf({ full: metadata.get('full'), accept_drop: metadata.get('accept_drop') }),
        });
        setStatus(response, status);
        setCaching(response, 'no-store');
        response.location(`resumable-uploads/${status.upload.id}`).status(201).end();
      },
    }),

    get(ONE, {
      action: 'upload-files',
      id: 'showResumableUpload',
      tag: 'uploads',
      summary: 'How far a resumable upload has come',
      description:
        'HEAD is what clients of tus ask before they go on. When all bytes are stored and it has become an upload, the answer has its number, for a day, unless hundreds of others have followed.',
      query: NO_PARAMETERS,
      answers: [
        {
          ...json(resumableSchema, 'Its state.'),
          headers: ['Upload-Length', 'Upload-Defer-Length', 'Upload-Metadata', ...STATUS_HEADERS],
        },
        NONE,
        { status: 409, description: 'It is whole, but its stream was archived meanwhile.' },
      ],
      async handle(request, response) {
        const status = await resumableUploads.status(param(request, 'org'), param(request, 'upload'));
        setStatus(response, status);
        const { metadata } = status.upload;
        if (metadata !== undefined) response.set('Upload-Metadata', metadata);
        sendJson(response, resumableView(status));
      },
    }),

    patch(ONE, {
      action: 'upload-files',
      id: 'sendResumableUpload',
      tag: 'uploads',
      summary: 'Sends the next bytes of a resumable upload',
      description:
        'Send `Tus-Resumable: 1.0.0`, and `Upload-Offset` with the number of bytes that are stored. What came before a break is stored. With the last byte, the files become an upload. If it was begun without its length, send `Upload-Length` with the last bytes, or with none after them.',
      query: NO_PARAMETERS,
      body: { [TUS_BODY]: 'bytes' },
      answers: [
        { status: 204, description: 'The bytes are stored, durably.', headers: STATUS_HEADERS },
        NONE,
        {
          status: 409,
          description:
            'Another number of bytes is stored, it has another length, or the stream was archived meanwhile.',
        },
        OTHER_VERSION,
      ],
      async handle(request, response) {
        requireTus(request.headers);
        const offset = bytesOf(request.headers, 'Upload-Offset');
        const length = request.get('Upload-Length') === undefined ? undefined : lengthOf(request.headers);
        const body = requestBody(request, { idleTimeoutMs, stopping, isPaced: true });
        setStatus(
          response,
          await resumableUploads.receive(param(request, 'org'), param(request, 'upload'), { offset, length, body }),
        );
        response.status(204).end();
      },
    }),

    remove(ONE, {
      action: 'upload-files',
      id: 'removeResumableUpload',
      tag: 'uploads',
      summary: 'Cancels a resumable upload',
      description: 'What was stored of it is removed. An upload that it has become stays.',
      query: NO_PARAMETERS,
      answers: [{ status: 204, description: 'It was removed.', headers: ['Tus-Resumable'] }, NONE, OTHER_VERSION],
      async handle(request, response) {
        requireTus(request.headers);
        await resumableUploads.remove(param(request, 'org'), param(request, 'upload'));
        response.status(204).end();
      },
    }),
  ];
}
