import { type ResumablesView, resumableView } from '../../../api/resumable-view.ts';
import { MOST_LENGTH } from '../../../records/arrivals/resumable/resumable-upload.ts';
import { param } from '../../request/admitted.ts';
import { requestBody } from '../../request/request-body.ts';
import { get, options, patch, post, type Route, remove } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { setCaching } from '../../response/caching.ts';
import { sendJson } from '../../response/send-json.ts';
import {
  BEGIN_RESUMABLE,
  DESCRIBE_TUS,
  LIST_RESUMABLE,
  REMOVE_RESUMABLE,
  SEND_RESUMABLE,
  SHOW_RESUMABLE,
} from './resumable-operations.ts';
import {
  bytesOf,
  filesOf,
  lengthOf,
  metadataOf,
  requireTus,
  setStatus,
  TUS_EXTENSIONS,
  TUS_PATH,
  TUS_VERSION,
} from './tus.ts';

const ONE = `${TUS_PATH}/:upload`;

/** Files that are sent in several requests, by tus 1.0. @param stopping ends bodies that are being read */
export function resumableRoutes(
  { records: { resumableUploads }, configuration: { idleTimeoutMs } }: ServedApp,
  stopping: AbortSignal,
): readonly Route[] {
  return [
    options(TUS_PATH, {
      action: 'upload-files',
      operation: DESCRIBE_TUS,
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
      operation: LIST_RESUMABLE,
      async handle(request, response) {
        const organization = param(request, 'org');
        const uploads = (await resumableUploads.unfinished(organization)).map(resumableView);
        sendJson(response, { organization, uploads } satisfies ResumablesView);
      },
    }),

    post(TUS_PATH, {
      action: 'upload-files',
      operation: BEGIN_RESUMABLE,
      async handle(request, response, query) {
        requireTus(request.headers);
        const header = request.get('Upload-Metadata') ?? '';
        const metadata = metadataOf(header);
        const length = lengthOf(request.headers);
        const status = await resumableUploads.begin(param(request, 'org'), {
          stream: query.stream ?? (metadata.get('stream') || undefined),
          name: metadata.get('name'),
          files: filesOf(metadata, length),
          length,
          metadata: header,
        });
        setStatus(response, status);
        setCaching(response, 'no-store');
        response.location(`resumable-uploads/${status.upload.id}`).status(201).end();
      },
    }),

    get(ONE, {
      action: 'upload-files',
      operation: SHOW_RESUMABLE,
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
      operation: SEND_RESUMABLE,
      async handle(request, response) {
        requireTus(request.headers);
        const offset = bytesOf(request.headers, 'Upload-Offset');
        const body = requestBody(request, { idleTimeoutMs, stopping, isPaced: true });
        setStatus(
          response,
          await resumableUploads.receive(param(request, 'org'), param(request, 'upload'), { offset, body }),
        );
        response.status(204).end();
      },
    }),

    remove(ONE, {
      action: 'upload-files',
      operation: REMOVE_RESUMABLE,
      async handle(request, response) {
        requireTus(request.headers);
        await resumableUploads.remove(param(request, 'org'), param(request, 'upload'));
        response.status(204).end();
      },
    }),
  ];
}
