import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { uploadErrorSchema } from '../../../api/reason-view.ts';
import { uploadSchema, uploadView } from '../../../api/upload-view.ts';
import { errataAsCsv } from '../../../records/errata/errata-csv.ts';
import { param } from '../../request/admitted.ts';
import { json, NO_PARAMETERS } from '../../request/operation.ts';
import { get, post, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { uploadOf } from '../../request/upload-of.ts';
import { setCaching } from '../../response/caching.ts';
import { sendJson } from '../../response/send-json.ts';
import { seesSenders } from '../../response/upload-senders.ts';

const NO_UPLOAD = { status: 404, description: 'There is no such upload.' };
const REMOVED = { status: 410, description: 'The upload was removed.' };
const NOT_READ = { status: 409, description: 'The files of the upload were not read yet.' };

const AT = '/api/organizations/:org/uploads/:stream/:number';

/** The errata of uploads, and retries of failed ones. */
export function uploadStatusRoutes(app: ServedApp): readonly Route[] {
  const { uploads } = app.records;
  const { idleTimeoutMs } = app.configuration;
  async function openErrata(request: Request): Promise<Readable> {
    const upload = await uploadOf(uploads, request);
    return (await uploads.openErrata(upload, await uploads.stateOf(upload))) ?? Readable.from([]);
  }

  /** @param convert not called for HEAD: a generator that never begins would leave `body` open */
  async function send(
    request: Request,
    response: Response,
    body: Readable,
    convert?: typeof errataAsCsv,
  ): Promise<void> {
    setCaching(response, 'no-store');
    if (request.method === 'HEAD') {
      body.destroy();
      response.end();
      await once(response, 'close');
      return;
    }
    // A client that reads nothing must not occupy a reader of the artifact.
    response.setTimeout(idleTimeoutMs, () => response.destroy());
    await (convert === undefined ? pipeline(body, response) : pipeline(body, convert, response));
  }

  return [
    get(`${AT}/errors`, {
      action: 'read-organization',
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
        REMOVED,
      ],
      async handle(request, response) {
        const body = await openErrata(request);
        response.set('Content-Type', 'application/x-ndjson; charset=utf-8');
        await send(request, response, body);
      },
    }),

    get(`${AT}/errors.csv`, {
      action: 'read-organization',
      id: 'uploadErrorsAsCsv',
      tag: 'uploads',
      summary: 'The same as CSV, for spreadsheets: the same fields in the same order',
      query: NO_PARAMETERS,
      answers: [
        { status: 200, description: 'A line for each, after one of names.', content: { 'text/csv': 'text' } },
        NO_UPLOAD,
        NOT_READ,
        REMOVED,
      ],
      async handle(request, response) {
        const body = await openErrata(request);
        const name = ['org', 'stream', 'number'].map((part) => param(request, part)).join('-');
        response.set({
          'Content-Type': 'text/csv; charset=utf-8; header=present',
          'Content-Disposition': `attachment; filename="${name}-errors.csv"`,
        });
        await send(request, response, body, errataAsCsv);
      },
    }),

    post(`${AT}/retry`, {
      action: 'upload-files',
      id: 'retryUpload',
      tag: 'uploads',
      summary: 'Has an upload processed again that has failed, or at once when it waits for another attempt',
      query: NO_PARAMETERS,
      answers: [
        json(uploadSchema, 'The upload: it is processed soon.'),
        NO_UPLOAD,
        { status: 409, description: 'The upload has not failed, or a later delivery has read the stream without it.' },
        REMOVED,
      ],
      async handle(request, response) {
        const upload = await uploadOf(uploads, request);
        sendJson(response, uploadView(upload, await app.jobs.uploads.retry(upload), seesSenders(response)));
      },
    }),
  ];
}
