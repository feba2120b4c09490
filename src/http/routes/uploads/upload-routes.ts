import type { Request, Response } from 'express';
import { uploadsView, uploadView } from '../../../api/upload-views.ts';
import { TidemarkError } from '../../../core/errors.ts';
import type { Upload, UploadedFile } from '../../../records/arrivals/upload.ts';
import { filesOf } from '../../../records/arrivals/upload-state.ts';
import { podStream } from '../../../records/pod-stream.ts';
import { directRequest, param } from '../../request/admitted.ts';
import { receiveUpload, type UploadRequest } from '../../request/receive-upload.ts';
import { requestBody } from '../../request/request-body.ts';
import { get, post, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { uploadOf } from '../../request/upload-of.ts';
import { answerHead } from '../../response/answer-head.ts';
import { sendAnswer } from '../../response/send-answer.ts';
import { sendJson } from '../../response/send-json.ts';
import { podProblem, podView } from './pod-answers.ts';
import {
  LIST_UPLOADS,
  READ_UPLOADED_FILE,
  SHOW_UPLOAD,
  UPLOAD_FILES,
  UPLOAD_FILES_AS_POD,
} from './upload-operations.ts';

interface Named {
  readonly stream?: string | undefined;
}

/** Uploads of organizations. @param stopping ends bodies that are being read when the server stops */
export function uploadRoutes(
  { records: { uploads, organizations }, configuration: { idleTimeoutMs, baseUrl } }: ServedApp,
  stopping: AbortSignal,
): readonly Route[] {
  const uploadRequest = (request: Request, { stream }: Named): UploadRequest => ({
    organization: param(request, 'org'),
    stream,
    headers: request.headers,
    body: requestBody(request, { idleTimeoutMs, stopping, isPaced: true }),
  });

  async function receiveAsPod(request: Request, response: Response, query: Named): Promise<void> {
    const organization = param(request, 'org');
    const streamOf = (name: string) => podStream(organizations, organization, name);
    try {
      const upload = await receiveUpload(uploads, uploadRequest(request, query), { streamOf });
      const view = podView(uploadView(upload, undefined), baseUrl);
      response.location(`../../api/organizations/${organization}/uploads/${view.id}`);
      sendJson(response, view, 201);
    } catch (error) {
      const problem = podProblem(error);
      if (problem === undefined) throw error;
      sendJson(response, problem, 422);
    }
  }

  return [
    post('/api/organizations/:org/uploads', {
      action: 'upload-files',
      operation: UPLOAD_FILES,
      async handle(request, response, query) {
        const upload = await receiveUpload(uploads, uploadRequest(request, query));
        response.location(`uploads/${upload.stream}/${upload.number}`);
        sendJson(response, uploadView(upload, undefined), 201);
      },
    }),
    post('/organizations/:org/uploads', {
      action: 'upload-files',
      operation: UPLOAD_FILES_AS_POD,
      handle: receiveAsPod,
    }),

    get('/api/organizations/:org/uploads', {
      action: 'read-organization',
      operation: LIST_UPLOADS,
      async handle(request, response, { stream, ...page }) {
        const organization = param(request, 'org');
        sendJson(response, uploadsView(organization, await uploads.list(organization, stream, page), page));
      },
    }),

    get('/api/organizations/:org/uploads/:stream/:number', {
      action: 'read-organization',
      operation: SHOW_UPLOAD,
      async handle(request, response) {
        const upload = await uploadOf(uploads, request);
        sendJson(response, uploadView(upload, await uploads.stateOf(upload)));
      },
    }),

    get('/api/organizations/:org/uploads/:stream/:number/files/:position', {
      action: 'read-organization',
      operation: READ_UPLOADED_FILE,
      async handle(request, response) {
        const upload = await uploadOf(uploads, request);
        const files = upload.url === undefined ? upload.files : filesOf(upload, await uploads.stateOf(upload));
        const file = fileAt({ ...upload, files }, param(request, 'position'));
        const { part, ...head } = answerHead(directRequest(request, response), {
          length: file.length,
          mime: 'application/octet-stream',
          validators: {
            etag: `"${file.sha256}"`,
            lastModified: Math.floor(upload.received / 1000),
            dateTellsVersions: true,
          },
          isPrivate: true,
        });
        const headers = { ...head.headers, 'Content-Disposition': attachment(file.name) };
        const body = part && (await uploads.open(file, part));
        await sendAnswer(response, { ...head, headers, ...(body !== undefined && { body }) }, idleTimeoutMs);
      },
    }),
  ];
}

/** @throws TidemarkError `not-found` */
function fileAt({ organization, stream, number, files }: Upload, position: string): UploadedFile {
  const file = /^[1-9]\d{0,5}$/.test(position) ? files[Number(position) - 1] : undefined;
  if (file !== undefined) return file;
  const message = `the upload ${organization}/${stream}/${number} has no file ${JSON.stringify(position.slice(0, 40))}: it has ${files.length}, from 1`;
  throw new TidemarkError('not-found', message, { organization, stream, upload: number });
}

/** RFC 6266: the file is saved under its name, never shown. */
function attachment(name: string): string {
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename*=UTF-8''${encoded}`;
}
