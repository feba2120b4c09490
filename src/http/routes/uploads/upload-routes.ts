import type { Request, Response } from 'express';
import * as z from 'zod';
import { givenUploadName, uploadSchema, uploadsSchema, uploadsView, uploadView } from '../../../api/upload-view.ts';
import { TidemarkError } from '../../../core/errors.ts';
import type { Upload, UploadedFile } from '../../../records/arrivals/upload.ts';
import { podStream } from '../../../records/pod-stream.ts';
import { directRequest, param } from '../../request/admitted.ts';
import { json, NO_PARAMETERS } from '../../request/operation.ts';
import { limit, streamParameter } from '../../request/query-parameters.ts';
import {
  ACCEPT_DROP,
  FULL,
  podJson,
  receiveUpload,
  type UploadRequest,
  uploadJson,
} from '../../request/receive-upload.ts';
import { requestBody } from '../../request/request-body.ts';
import { get, post, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { uploadOf } from '../../request/upload-of.ts';
import { answerHead } from '../../response/answer-head.ts';
import { openBodyInTime } from '../../response/in-time.ts';
import { sendAnswer } from '../../response/send-answer.ts';
import { sendJson } from '../../response/send-json.ts';
import { seesSenders, sentBy } from '../../response/upload-senders.ts';
import { podProblem, podView } from './pod-answers.ts';

const bytes = z.string().meta({ format: 'binary' });
const yesOrNo = z.enum(['yes', 'no']);

const uploadForm = z
  .strictObject({
    stream: z.string().optional().describe('The stream; the default one without it. Send it before the files.'),
    name: givenUploadName.optional().describe('What people call the upload.'),
    files: z.array(bytes).optional().describe('A part for each file, of any name, with a `filename`.'),
    url: z.string().optional().describe('In the place of files: where one is fetched from, by http or https.'),
    full: yesOrNo.optional().describe(FULL),
    accept_drop: yesOrNo.optional().describe(ACCEPT_DROP),
  })
  .meta({ id: 'UploadForm' });

const formOfPod = z
  .object({
    'upload[name]': givenUploadName.optional(),
    'upload[files][]': z.array(bytes).optional(),
    'upload[url]': z.string().optional(),
    stream: z.string().optional(),
    full: yesOrNo.optional().describe(FULL),
    accept_drop: yesOrNo.optional().describe(ACCEPT_DROP),
  })
  .meta({ id: 'PodUploadForm' });

const podUploadSchema = uploadSchema
  .extend({
    id: z.string().describe('The stream and the number.'),
    name: z.string(),
    created_at: z.string().meta({ format: 'date-time' }),
    updated_at: z.string().meta({ format: 'date-time' }),
    url: z.string().meta({ format: 'uri' }).describe('Where the upload is.'),
  })
  .meta({ id: 'PodUpload', description: 'An upload, also in the words of the POD aggregator.' });

const podProblemSchema = z
  .looseObject({ error: z.looseObject({ code: z.string(), message: z.string() }) })
  .meta({ id: 'PodProblem', description: 'What is wrong; also as a list of messages under the name of the field.' });

const FAILURES = [
  { status: 404, description: 'There is no such organization, or stream of it.' },
  { status: 409, description: 'The stream is archived, or cannot be made.' },
  { status: 413, description: 'A field is too long, or there are too many.' },
];

interface Named {
  readonly stream?: string | undefined;
}

/** Uploads of organizations. @param stopping ends bodies that are being read when the server stops */
export function uploadRoutes(
  { records: { uploads, organizations }, configuration: { idleTimeoutMs, baseUrl } }: ServedApp,
  stopping: AbortSignal,
): readonly Route[] {
  const uploadRequest = (request: Request, response: Response, { stream }: Named): UploadRequest => ({
    organization: param(request, 'org'),
    stream,
    headers: request.headers,
    body: requestBody(request, { idleTimeoutMs, stopping, isPaced: true }),
    by: sentBy(request, response),
  });

  async function receiveAsPod(request: Request, response: Response, query: Named): Promise<void> {
    const organization = param(request, 'org');
    const streamOf = (name: string) => podStream(organizations, organization, name);
    try {
      const upload = await receiveUpload(uploads, uploadRequest(request, response, query), { streamOf });
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
      id: 'uploadFiles',
      tag: 'uploads',
      summary: 'Uploads files to a stream of an organization',
      description:
        'The first upload of an organization makes its default stream. One form is one upload. Nothing of it is stored when the request breaks off. A sender that exceeds its bytes a minute is slowed down.',
      query: z.strictObject({ stream: streamParameter() }),
      body: { 'multipart/form-data': uploadForm, 'application/json': uploadJson },
      answers: [
        {
          ...json(
            uploadSchema,
            'All files are stored, or a job will fetch the URL, and the upload has its number.',
            201,
          ),
          headers: ['Location'],
        },
        ...FAILURES,
      ],
      async handle(request, response, query) {
        const upload = await receiveUpload(uploads, uploadRequest(request, response, query));
        response.location(`uploads/${upload.stream}/${upload.number}`);
        sendJson(response, uploadView(upload, undefined, seesSenders(response)), 201);
      },
    }),
    post('/organizations/:org/uploads', {
      action: 'upload-files',
      id: 'uploadFilesAsPod',
      tag: 'uploads',
      summary: 'Uploads files, as scripts for the POD aggregator do',
      description:
        'The same, with the names that the POD aggregator has, and the fields of its answers. Unknown fields are ignored, and a stream that does not exist is made.',
      query: z.object({ stream: streamParameter() }),
      body: {
        'multipart/form-data': formOfPod,
        'application/x-www-form-urlencoded': 'text',
        'application/json': podJson,
      },
      answers: [
        { ...json(podUploadSchema, 'The upload has its number.', 201), headers: ['Location'] },
        ...FAILURES.filter(({ status }) => status !== 409),
        json(
          podProblemSchema,
          'The upload has neither files nor a URL, what is named is wrong, the stream is archived, or there is none.',
          422,
        ),
      ],
      handle: receiveAsPod,
    }),

    get('/api/organizations/:org/uploads', {
      action: 'read-organization',
      id: 'listUploads',
      tag: 'uploads',
      summary: 'The uploads of a stream, newest first',
      query: z.strictObject({
        stream: streamParameter(),
        before: z
          .string()
          .regex(/^\d{1,9}$/, 'is the number of an upload')
          .transform(Number)
          .optional()
          .meta({ description: 'Only uploads with lower numbers.', examples: ['17'] }),
        limit: limit({ usual: 20, most: 200 }),
      }),
      answers: [
        json(uploadsSchema, 'The uploads.'),
        { status: 404, description: 'There is no such organization, or stream of it.' },
      ],
      async handle(request, response, { stream, ...page }) {
        const organization = param(request, 'org');
        const listed = await uploads.list(organization, stream, page);
        sendJson(response, uploadsView(organization, listed, { ...page, sees: seesSenders(response) }));
      },
    }),

    get('/api/organizations/:org/uploads/:stream/:number', {
      action: 'read-organization',
      id: 'showUpload',
      tag: 'uploads',
      summary: 'An upload with its files',
      query: NO_PARAMETERS,
      answers: [json(uploadSchema, 'The upload.'), { status: 404, description: 'There is no such upload.' }],
      async handle(request, response) {
        const upload = await uploadOf(uploads, request);
        sendJson(response, uploadView(upload, await uploads.stateOf(upload), seesSenders(response)));
      },
    }),

    get('/api/organizations/:org/uploads/:stream/:number/files/:position', {
      action: 'read-organization',
      id: 'readUploadedFile',
      tag: 'uploads',
      summary: 'The bytes of an uploaded file',
      query: NO_PARAMETERS,
      isConditional: true,
      hasRanges: true,
      answers: [
        { status: 200, description: 'The bytes, as they came.', content: { 'application/octet-stream': 'bytes' } },
        { status: 404, description: 'There is no such file.' },
        { status: 410, description: 'The upload was removed, or the file is kept no longer.' },
      ],
      async handle(request, response) {
        const upload = await uploadOf(uploads, request);
        const file = fileAt({ ...upload, files: await uploads.filesOf(upload) }, param(request, 'position'));
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
        const body = part && (await openBodyInTime(uploads.open(file, part)));
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
