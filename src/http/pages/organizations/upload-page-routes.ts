import type { Request, Response } from 'express';
import { uploadView } from '../../../api/upload-view.ts';
import { isTidemarkError, type TidemarkError, unlessConflict } from '../../../core/errors.ts';
import { param } from '../../request/admitted.ts';
import { readForm } from '../../request/read-form.ts';
import { receiveUpload } from '../../request/receive-upload.ts';
import { requestBody } from '../../request/request-body.ts';
import { get, post, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { uploadOf } from '../../request/upload-of.ts';
import { seesSenders, sentBy } from '../../response/upload-senders.ts';
import { attempting } from '../manage/attempting.ts';
import type { RejectedForm } from '../manage/set-pages.ts';
import { requireTyped } from '../parts/remove-section.ts';
import { sendPage } from '../parts/send-page.ts';
import { sentence } from '../parts/words.ts';
import { organizationFrameOf } from './organization-frame.ts';
import { REMOVE_UPLOAD, RETRY, UPLOAD, UPLOAD_BY_FORM, UPLOAD_FORM } from './organization-page-operations.ts';
import { renderUploadFormPage } from './upload-form-page.ts';
import { renderUploadPage, type UploadPage } from './upload-page.ts';

const ERRORS_PER_PAGE = 50;
const AT = '/organizations/:org/streams/:stream/uploads/:number';

/** Pages of uploads, and the form that uploads. @param stopping ends bodies that are being read */
export function uploadPageRoutes(app: ServedApp, stopping: AbortSignal): readonly Route[] {
  const { uploads, readingAgain } = app.records;
  const { configuration } = app;
  const { idleTimeoutMs } = configuration;
  async function showForm(
    { request, response }: { readonly request: Request; readonly response: Response },
    given: { readonly chosen?: string | undefined; readonly problem?: string },
  ): Promise<void> {
    const frame = await organizationFrameOf(app, request, response);
    const page = renderUploadFormPage({ ...frame, chosen: given.chosen, problem: given.problem });
    sendPage(response, page, given.problem === undefined ? 200 : 400);
  }

  async function showUpload(
    { request, response }: { readonly request: Request; readonly response: Response },
    { at = 0, rejected }: { readonly at?: number; readonly rejected?: UploadPage['rejected'] },
  ): Promise<void> {
    const upload = await uploadOf(uploads, request);
    const state = await uploads.stateOf(upload);
    const key = state?.read?.errata;
    const [frame, errata] = await Promise.all([
      organizationFrameOf(app, request, response),
      key === undefined ? undefined : uploads.readErrata(key, { at, limit: ERRORS_PER_PAGE }),
    ]);
    // One that cannot be removed has no form.
    const removal = frame.mayManage ? await unlessConflict(readingAgain.plan(upload)) : undefined;
    const page = { ...frame, upload: uploadView(upload, state, seesSenders(response)), errata, at, removal, rejected };
    sendPage(response, renderUploadPage(page), rejected === undefined ? 200 : 400);
  }

  return [
    get('/organizations/:org/upload', {
      action: 'upload-files',
      ...UPLOAD_FORM,
      handle: (request, response, { stream }) => showForm({ request, response }, { chosen: stream }),
    }),

    post('/organizations/:org/upload', {
      action: 'upload-files',
      ...UPLOAD_BY_FORM,
      async handle(request, response) {
        const organization = param(request, 'org');
        const body = requestBody(request, { idleTimeoutMs, stopping, isPaced: true });
        try {
          const { headers } = request;
          const { stream, number } = await receiveUpload(uploads, {
            ...{ organization, stream: undefined, headers, body },
            by: sentBy(request, response),
          });
          response.redirect(303, `./streams/${stream}/uploads/${number}/`);
        } catch (error) {
          if (!isTidemarkError(error, 'invalid') && !isTidemarkError(error, 'conflict')) throw error;
          await showForm({ request, response }, { problem: sentence((error as TidemarkError).message) });
        }
      },
    }),

    get(`${AT}/`, {
      action: 'read-organization',
      ...UPLOAD,
      handle: (request, response, { errors: at = 0 }) => showUpload({ request, response }, { at }),
    }),

    post(`${AT}/remove`, {
      action: 'manage-organization',
      ...REMOVE_UPLOAD,
      async handle(request, response) {
        const form = await readForm(request, { idleTimeoutMs, stopping });
        const upload = await uploadOf(uploads, request);
        const reason = form.get('reason') ?? '';
        const show = ({ problem }: RejectedForm) =>
          showUpload({ request, response }, { rejected: { problem, reason } });
        await attempting({ form, show }, async () => {
          requireTyped(form, `${upload.number}`);
          await readingAgain.remove(upload, { reason, by: sentBy(request, response) });
          response.redirect(303, './');
        });
      },
    }),

    post(`${AT}/retry`, {
      action: 'upload-files',
      ...RETRY,
      async handle(request, response) {
        await app.jobs.uploads.retry(await uploadOf(uploads, request));
        response.redirect(303, './');
      },
    }),
  ];
}
