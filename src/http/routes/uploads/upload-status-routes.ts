import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { uploadView } from '../../../api/upload-views.ts';
import { csvRow } from '../../../lib/csv.ts';
import { eachErratum } from '../../../records/errata/read-errata.ts';
import { param } from '../../request/admitted.ts';
import { get, post, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { uploadOf } from '../../request/upload-of.ts';
import { setCaching } from '../../response/caching.ts';
import { sendJson } from '../../response/send-json.ts';
import { LIST_UPLOAD_ERRORS, RETRY_UPLOAD, UPLOAD_ERRORS_AS_CSV } from './upload-status-operations.ts';

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
  async function send(request: Request, response: Response, body: Readable, convert?: typeof asCsv): Promise<void> {
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
      operation: LIST_UPLOAD_ERRORS,
      async handle(request, response) {
        const body = await openErrata(request);
        response.set('Content-Type', 'application/x-ndjson; charset=utf-8');
        await send(request, response, body);
      },
    }),

    get(`${AT}/errors.csv`, {
      action: 'read-organization',
      operation: UPLOAD_ERRORS_AS_CSV,
      async handle(request, response) {
        const body = await openErrata(request);
        const name = ['org', 'stream', 'number'].map((part) => param(request, part)).join('-');
        response.set({
          'Content-Type': 'text/csv; charset=utf-8; header=present',
          'Content-Disposition': `attachment; filename="${name}-errors.csv"`,
        });
        await send(request, response, body, asCsv);
      },
    }),

    post(`${AT}/retry`, {
      action: 'upload-files',
      operation: RETRY_UPLOAD,
      async handle(request, response) {
        const upload = await uploadOf(uploads, request);
        sendJson(response, uploadView(upload, await app.jobs.uploads.retry(upload)));
      },
    }),
  ];
}

async function* asCsv(body: Readable): AsyncGenerator<string> {
  yield csvRow(['file', 'path', 'number', 'offset', 'id', 'reason', 'warning']);
  for await (const { file, path, ordinal, offset, id, reason, warning } of eachErratum(body)) {
    yield csvRow([file, path?.join(' > '), ordinal, offset, id, reason, warning ? 'true' : undefined]);
  }
}
