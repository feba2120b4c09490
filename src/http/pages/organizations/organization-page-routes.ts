import type { Request, Response } from 'express';
import { administers, may } from '../../../access/may.ts';
import { runView } from '../../../api/activity-run-view.ts';
import type { SeenOfSenders } from '../../../api/sender-view.ts';
import { streamDumpsView } from '../../../api/stream-dump-view.ts';
import { listedUploadView } from '../../../api/upload-view.ts';
import type { ResourceSet } from '../../../core/resource-set.ts';
import { latestErrata } from '../../../records/arrivals/latest-errata.ts';
import type { ListedUploads } from '../../../records/arrivals/uploads.ts';
import { type Organization, type Stream, streamOf } from '../../../records/organization.ts';
import { type StreamWithSet, setOfStream } from '../../../records/stream-set-names.ts';
import { slugsOfStream } from '../../../records/stream-sets.ts';
import { summarize } from '../../../sets/summarized-sets.ts';
import { organizationOf, param, senderOf } from '../../request/admitted.ts';
import { readForm } from '../../request/read-form.ts';
import { get, post, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { managedOverview, shownOrganizations } from '../../response/shown-organizations.ts';
import { seesSenders } from '../../response/upload-senders.ts';
import { attempting } from '../manage/attempting.ts';
import type { RejectedForm } from '../manage/set-pages.ts';
import { frameOf } from '../parts/frame.ts';
import { requireTyped } from '../parts/remove-section.ts';
import { sendPage } from '../parts/send-page.ts';
import { organizationFrameOf } from './organization-frame.ts';
import { renderOrganizationPage } from './organization-page.ts';
import { ORGANIZATION, ORGANIZATIONS, REMOVE_STREAM, STREAM } from './organization-page-operations.ts';
import { renderOrganizationsPage } from './organizations-page.ts';
import { renderStreamPage } from './stream-page.ts';

/** Number of uploads that the page of an organization counts. */
const MOST_COUNTED = 200;
const UPLOADS_PER_PAGE = 50;
const RUNS_LISTED = 5;

const DID = {
  change: 'The organization was changed.',
  dump: 'A dump is made as soon as a server is free.',
  stream: 'The stream was added.',
  remove: 'The stream takes nothing any more, and is removed as soon as a server is free.',
} as const;

/** The pages of organizations and of their streams. @param stopping ends bodies that are being read */
export function organizationPageRoutes(app: ServedApp, stopping: AbortSignal): readonly Route[] {
  const { organizations, overview, runs, uploads, streamRemovals } = app.records;
  const { sets, index, jobs, configuration } = app;

  /** Number of live records by stream id, without streams whose set does not exist yet. */
  async function recordsOf(organization: string, streams: readonly Stream[]): Promise<ReadonlyMap<string, number>> {
    const idOf = new Map(streams.map(({ id, set }) => [setOfStream({ organization, stream: id, set }, 'records'), id]));
    const recordSets = (await sets.list()).filter(({ slug }) => idOf.has(slug));
    const summarized = await summarize(index, recordSets);
    return new Map(summarized.map(({ set, summary }) => [idOf.get(set.slug)!, summary.resources]));
  }

  /** The sets of a stream that the reader may read. */
  async function setsOf(name: StreamWithSet, response: Response): Promise<readonly ResourceSet[]> {
    const slugs = slugsOfStream(name);
    const found = (await sets.list()).filter(
      (set) => slugs.includes(set.slug) && may(senderOf(response), 'read-state', set),
    );
    return found.toSorted((one, other) => slugs.indexOf(one.slug) - slugs.indexOf(other.slug));
  }

  async function showStream(
    { request, response }: { readonly request: Request; readonly response: Response },
    { before, problem }: { readonly before?: number | undefined; readonly problem?: string },
  ): Promise<void> {
    const found = organizationOf(response);
    const stream = streamOf(found, param(request, 'stream'));
    const organization = found.id;
    const name = { organization, stream: stream.id, set: stream.set };
    const [frame, counts, listed, dumps, shown] = await Promise.all([
      organizationFrameOf(app, request, response),
      recordsOf(organization, [stream]),
      uploads.list(organization, stream.id, { before, limit: UPLOADS_PER_PAGE }),
      streamDumpsView(name, app),
      setsOf(name, response),
    ]);
    const views = viewsOf(listed, seesSenders(response));
    const records = counts.get(stream.id) ?? 0;
    const last = views.at(-1)?.number ?? 1;
    const next = views.length === UPLOADS_PER_PAGE && last > 1 ? last : undefined;
    const mayRemove = frame.mayManage && isRemovable(found, stream);
    const freed = mayRemove ? await streamRemovals.measureStream({ organization, stream: stream.id }) : undefined;
    const page = { ...frame, stream, records, uploads: views, before, next, dumps, sets: shown, freed, problem };
    sendPage(response, renderStreamPage(page), problem === undefined ? 200 : 400);
  }

  return [
    get('/organizations/', {
      action: 'read-source',
      ...ORGANIZATIONS,
      async handle(request, response, order) {
        const frame = await frameOf(app, request, response);
        const shown = await shownOrganizations(organizations, response);
        const managed = frame.viewer.managesAny ? await managedOverview(overview, response, order) : [];
        const isManaged = new Set(managed.map(({ organization }) => organization));
        const others = shown.filter(({ id }) => !isManaged.has(id));
        sendPage(response, renderOrganizationsPage({ frame, managed, order, organizations: others }));
      },
    }),

    get('/organizations/:org/', {
      action: 'read-organization',
      ...ORGANIZATION,
      async handle(request, response, { did }) {
        const organization = organizationOf(response);
        const name = { organization: organization.id };
        const [frame, records, listed, dumps, shown, found] = await Promise.all([
          organizationFrameOf(app, request, response),
          recordsOf(organization.id, organization.streams),
          uploads.list(organization.id, undefined, { limit: MOST_COUNTED }),
          streamDumpsView(name, app),
          setsOf(name, response),
          runs.list(organization.id, { limit: RUNS_LISTED }),
        ]);
        const errata = await latestErrata(uploads, listed);
        const isWhole = administers(senderOf(response));
        const page = {
          ...frame,
          records,
          dumps,
          errata,
          sets: shown,
          uploads: viewsOf(listed, seesSenders(response)),
          runs: found.map((run) => runView(run, isWhole)),
          did: did && DID[did],
        };
        sendPage(response, renderOrganizationPage(page));
      },
    }),

    get('/organizations/:org/streams/:stream/', {
      action: 'read-organization',
      ...STREAM,
      async handle(request, response, { before }) {
        await showStream({ request, response }, { before });
      },
    }),

    post('/organizations/:org/streams/:stream/remove', {
      action: 'manage-organization',
      ...REMOVE_STREAM,
      async handle(request, response) {
        const form = await readForm(request, { idleTimeoutMs: configuration.idleTimeoutMs, stopping });
        const name = { organization: param(request, 'org'), stream: param(request, 'stream') };
        const show = ({ problem }: RejectedForm) => showStream({ request, response }, { problem });
        await attempting({ form, show }, async () => {
          requireTyped(form, name.stream);
          await streamRemovals.beginStream(name);
          await jobs.removals.add();
          response.redirect(303, '../../?did=remove');
        });
      },
    }),
  ];
}

const isRemovable = ({ defaultStream }: Organization, { id, set, removing }: Stream): boolean =>
  id !== defaultStream && set === undefined && removing === undefined;

function viewsOf({ uploads, states }: ListedUploads, sees: SeenOfSenders) {
  return uploads.map((upload) => listedUploadView(upload, states.get(upload.number), sees));
}
