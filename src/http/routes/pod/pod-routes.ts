import type { Request, Response } from 'express';
import * as z from 'zod';
import type { UploadPage } from '../../../records/arrivals/uploads.ts';
import type { Organization } from '../../../records/organization.ts';
import { pageNumber } from '../../pages/parts/page-query.ts';
import { organizationOf, param } from '../../request/admitted.ts';
import { json } from '../../request/operation.ts';
import { prefersPage } from '../../request/prefers-page.ts';
import { text } from '../../request/query-parameters.ts';
import { get, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { uploadOf } from '../../request/upload-of.ts';
import { sendJson } from '../../response/send-json.ts';
import { shownOrganizations } from '../../response/shown-organizations.ts';
import { type ListedUpload, latestUploads, UPLOADS_PER_PAGE } from './latest-uploads.ts';
import { podListRoutes } from './pod-list-routes.ts';
import {
  POD_SCHEMAS,
  type PodReadUpload,
  podOrganizationView,
  podStreamOf,
  podStreamView,
  podStreamViews,
  podUploadView,
} from './pod-shapes.ts';

/** Uploads of the JSON of a stream, which has no pages. */
const MOST_UPLOADS = 10_000;
const READ_AT_ONCE = 500;

const TO_PAGE = { status: 303, description: 'To the page of the organization, for browsers.' };
const REMOVED = { status: 410, description: 'The upload was removed.' };
const NO_ORGANIZATION = { status: 404, description: 'There is no such organization, or stream of it.' };
/** Unknown parameters are ignored, as there. */
const QUERY = z.object({
  stream: text('The stream: all without it, the default one when it is empty.', 'main'),
  page: pageNumber,
});

/** The addresses of the POD aggregator, for programs that read from it. */
export function podRoutes(app: ServedApp): readonly Route[] {
  return [...podJsonRoutes(app), ...podListRoutes(app)];
}

function podJsonRoutes({ records, configuration: { baseUrl } }: ServedApp): readonly Route[] {
  const { organizations, uploads } = records;

  async function listed(organization: string, stream: string | undefined, page: UploadPage) {
    const { uploads: found, states } = await uploads.list(organization, stream, page);
    const listed = found.map((upload) => ({ upload, state: states.get(upload.number) }));
    return { last: found.at(-1)?.number, views: await viewsOf(listed, baseUrl) };
  }

  /** @param named undefined for all streams; empty for the default one */
  async function pageOf(found: Organization, named: string | undefined, page: number) {
    const organization = found.id;
    if (named === undefined) {
      const streams = podStreamViews(found, baseUrl).map(({ id }) => id);
      const latest = await latestUploads(uploads, { organization, streams, page });
      return viewsOf(latest, baseUrl);
    }
    const stream = named === '' ? undefined : podStreamOf(found, named).id;
    // Uploads are numbered without gaps.
    const newest = (await uploads.list(organization, stream, { limit: 1 })).uploads[0]?.number ?? 0;
    const before = newest + 1 - (page - 1) * UPLOADS_PER_PAGE;
    return before <= 1 ? [] : (await listed(organization, stream, { before, limit: UPLOADS_PER_PAGE })).views;
  }

  /** The latest uploads, in the order of arrival. */
  async function uploadsOf(organization: string, stream: string): Promise<readonly PodReadUpload[]> {
    const found: PodReadUpload[] = [];
    for (let before: number | undefined; found.length < MOST_UPLOADS; ) {
      const { last, views } = await listed(organization, stream, { before, limit: READ_AT_ONCE });
      found.push(...views);
      before = last;
      if (before === undefined || before === 1) break;
    }
    return found.toReversed();
  }

  /** Browsers get the page of the organization instead. */
  async function sendUnlessPage(request: Request, response: Response, body: () => object | Promise<object>) {
    response.vary('Accept');
    if (!request.path.endsWith('.json') && prefersPage(request.headers.accept)) response.redirect(303, './');
    else sendJson(response, await body());
  }

  return [
    get('/organizations.json', {
      action: 'read-source',
      id: 'podOrganizations',
      tag: 'pod',
      summary: 'The organizations that the sender may read, ascending by id',
      answers: [json(POD_SCHEMAS.organizations, 'The organizations.')],
      async handle(_request, response) {
        const shown = await shownOrganizations(organizations, response);
        sendJson(
          response,
          shown.map((one) => podOrganizationView(one, baseUrl)),
        );
      },
    }),
    get('/organizations/:org.json', {
      action: 'read-organization',
      id: 'podOrganization',
      tag: 'pod',
      summary: 'An organization with its streams',
      answers: [json(POD_SCHEMAS.organization, 'The organization.'), NO_ORGANIZATION],
      handle(_request, response) {
        sendJson(response, podOrganizationView(organizationOf(response), baseUrl));
      },
    }),
    ...['', '.json'].map((ending) =>
      get(`/organizations/:org/streams${ending}`, {
        action: 'read-organization',
        id: `podStreams${ending === '' ? '' : 'AsJson'}`,
        tag: 'pod',
        summary: 'The streams of an organization',
        answers: [json(POD_SCHEMAS.streams, 'The streams.'), ...(ending === '' ? [TO_PAGE] : []), NO_ORGANIZATION],
        handle: (request, response) =>
          sendUnlessPage(request, response, () => podStreamViews(organizationOf(response), baseUrl)),
      }),
    ),
    get('/organizations/:org/streams/:stream.json', {
      action: 'read-organization',
      id: 'podStream',
      tag: 'pod',
      summary: 'A stream with all of its uploads and their files',
      answers: [json(POD_SCHEMAS.stream, 'The stream.'), NO_ORGANIZATION],
      async handle(request, response) {
        const organization = organizationOf(response);
        const stream = podStreamOf(organization, param(request, 'stream'));
        const found = await uploadsOf(organization.id, stream.id);
        sendJson(response, podStreamView(organization, { stream, uploads: found }, baseUrl));
      },
    }),
    ...['', '.json'].map((ending) =>
      get(`/organizations/:org/uploads${ending}`, {
        action: 'read-organization',
        id: `podUploadList${ending === '' ? '' : 'AsJson'}`,
        tag: 'pod',
        summary: 'The uploads of all streams, or of one, newest first, 25 on a page',
        query: QUERY,
        answers: [json(POD_SCHEMAS.uploads, 'The uploads.'), ...(ending === '' ? [TO_PAGE] : []), NO_ORGANIZATION],
        handle: (request, response, { stream, page }) =>
          sendUnlessPage(request, response, () => pageOf(organizationOf(response), stream, page)),
      }),
    ),
    get('/organizations/:org/uploads/:stream/:number.json', {
      action: 'read-organization',
      id: 'podUpload',
      tag: 'pod',
      summary: 'An upload with its files',
      answers: [
        json(POD_SCHEMAS.upload, 'The upload.'),
        { status: 404, description: 'There is no such upload.' },
        REMOVED,
      ],
      async handle(request, response) {
        const upload = await uploadOf(uploads, request);
        await uploads.filesOf(upload);
        sendJson(response, await podUploadView(upload, await uploads.stateOf(upload), baseUrl));
      },
    }),
  ];
}

function viewsOf(listed: readonly ListedUpload[], baseUrl: string): Promise<readonly PodReadUpload[]> {
  // Removed ones, and deliveries that read these again, have no files.
  const shown = listed.filter(({ upload, state }) => !upload.readsAgain && !state?.removed);
  return Promise.all(shown.map(({ upload, state }) => podUploadView(upload, state, baseUrl)));
}
