import { may } from '../../../access/may.ts';
import { listedUploadView } from '../../../api/upload-views.ts';
import { isTidemarkError } from '../../../core/errors.ts';
import { type Organization, streamOf } from '../../../streams/organization.ts';
import { setOfStream } from '../../../streams/set-names.ts';
import type { ListedUploads } from '../../../streams/uploads/uploads.ts';
import { organizationOf, param, senderOf } from '../../request/admitted.ts';
import { get, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { shownOrganizations } from '../../response/shown-organizations.ts';
import { frameOf } from '../parts/frame-of.ts';
import { sendPage } from '../parts/send-page.ts';
import { organizationFrameOf } from './organization-frame.ts';
import { renderOrganizationPage } from './organization-page.ts';
import { ORGANIZATION, ORGANIZATIONS, STREAM } from './organization-page-operations.ts';
import { renderOrganizationsPage } from './organizations-page.ts';
import { renderStreamPage } from './stream-page.ts';

/** Uploads that the page of an organization counts. */
const MOST_COUNTED = 200;
const UPLOADS_PER_PAGE = 50;

const DID = {
  change: 'The organization was changed.',
  dump: 'A dump is made as soon as a server is free.',
  stream: 'The stream was added.',
} as const;

/** The pages of organizations and of their streams. */
export function organizationPageRoutes(app: ServedApp, _stopping: AbortSignal): readonly Route[] {
  const { organizations, uploads, streamDumps, sets, index } = app;

  /** Undefined while its set is being made. */
  async function recordsOf(organization: string, stream: string): Promise<number | undefined> {
    try {
      const { id } = await sets.bySlug(setOfStream({ organization, stream }, 'records'));
      return (await index.summary(id)).resources;
    } catch (error) {
      if (isTidemarkError(error, 'not-found')) return undefined;
      throw error;
    }
  }

  async function recordsOfStreams({ id, streams }: Organization): Promise<ReadonlyMap<string, number>> {
    const counts = await Promise.all(
      streams.map(async (stream) => [stream.id, (await recordsOf(id, stream.id)) ?? 0] as const),
    );
    return new Map(counts);
  }

  return [
    get('/organizations/', {
      action: 'read-source',
      operation: ORGANIZATIONS,
      async handle(request, response) {
        const frame = await frameOf(app, request, response);
        const shown = await shownOrganizations(organizations, response);
        sendPage(response, renderOrganizationsPage({ frame, organizations: shown }));
      },
    }),

    get('/organizations/:org/', {
      action: 'read-organization',
      operation: ORGANIZATION,
      async handle(request, response, { did }) {
        const organization = organizationOf(response);
        const { id } = organization;
        const [frame, records, listed, dumps, all] = await Promise.all([
          organizationFrameOf(app, request, response),
          recordsOfStreams(organization),
          uploads.list(id, undefined, { limit: MOST_COUNTED }),
          streamDumps.list({ organization: id }),
          sets.list(),
        ]);
        const shown = all.filter(
          (set) =>
            'organization' in set.origin &&
            set.origin.organization === id &&
            may(senderOf(response), 'read-state', set),
        );
        const page = { ...frame, records, dumps, sets: shown, uploads: viewsOf(listed), did: did && DID[did] };
        sendPage(response, renderOrganizationPage(page));
      },
    }),

    get('/organizations/:org/streams/:stream/', {
      action: 'read-organization',
      operation: STREAM,
      async handle(request, response, { before }) {
        const stream = streamOf(organizationOf(response), param(request, 'stream'));
        const organization = organizationOf(response).id;
        const [frame, records, listed] = await Promise.all([
          organizationFrameOf(app, request, response),
          recordsOf(organization, stream.id),
          uploads.list(organization, stream.id, { before, limit: UPLOADS_PER_PAGE }),
        ]);
        const views = viewsOf(listed);
        const last = views.at(-1)?.number ?? 1;
        const next = views.length === UPLOADS_PER_PAGE && last > 1 ? last : undefined;
        sendPage(response, renderStreamPage({ ...frame, stream, records: records ?? 0, uploads: views, before, next }));
      },
    }),
  ];
}

function viewsOf({ uploads, states }: ListedUploads) {
  return uploads.map((upload) => listedUploadView(upload, states.get(upload.number)));
}
