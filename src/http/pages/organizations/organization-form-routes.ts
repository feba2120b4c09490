import type { Request, Response } from 'express';
import { DUMP_KINDS } from '../../../records/dumps/stored-stream-dump.ts';
import type { OrganizationFields } from '../../../records/organization.ts';
import { parseContact } from '../../../records/parse-contact.ts';
import { organizationOf, param } from '../../request/admitted.ts';
import { readForm } from '../../request/read-form.ts';
import { get, post, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { attempting } from '../manage/attempting.ts';
import type { RejectedForm } from '../manage/set-pages.ts';
import { frameOf } from '../parts/frame.ts';
import { linesOf } from '../parts/lines-of.ts';
import { requireTyped } from '../parts/remove-section.ts';
import { sendPage } from '../parts/send-page.ts';
import { renderAddOrganizationPage, renderOrganizationSettings } from './organization-form-pages.ts';
import { organizationFrameOf } from './organization-frame.ts';
import {
  ADD,
  ADD_FORM,
  ADD_STREAM,
  ARCHIVE,
  CHANGE,
  MAKE_DEFAULT,
  MAKE_DUMP,
  REMOVE_ORGANIZATION,
  SETTINGS,
} from './organization-page-operations.ts';
import { givenSettings } from './settings-fields.ts';

/** Reads the form of a request. */
type ReadForm = (request: Request) => Promise<URLSearchParams>;

/** Forms in which administrators add and change organizations. @param stopping ends bodies that are being read */
export function organizationFormRoutes(app: ServedApp, stopping: AbortSignal): readonly Route[] {
  const { idleTimeoutMs } = app.configuration;
  const form: ReadForm = (request) => readForm(request, { idleTimeoutMs, stopping });
  return [...addRoutes(app, form), ...settingsRoutes(app, form), ...streamRoutes(app, form), ...dumpRoutes(app)];
}

function addRoutes(app: ServedApp, form: ReadForm): readonly Route[] {
  async function show(request: Request, response: Response, attempt?: RejectedForm): Promise<void> {
    const frame = await frameOf(app, request, response);
    sendPage(response, renderAddOrganizationPage(frame, attempt), attempt === undefined ? 200 : 400);
  }

  return [
    get('/add-organization', {
      action: 'administer',
      ...ADD_FORM,
      handle: (request, response) => show(request, response),
    }),

    post('/add-organization', {
      action: 'administer',
      ...ADD,
      async handle(request, response) {
        const given = await form(request);
        await attempting({ form: given, show: (attempt) => show(request, response, attempt) }, async () => {
          const { id } = await app.records.organizations.add(given.get('organization')?.trim() ?? '', {
            contacts: [],
            ...fieldsOf(given),
          });
          response.locals.subject = id;
          response.redirect(303, `./organizations/${id}/`);
        });
      },
    }),
  ];
}

function settingsRoutes(app: ServedApp, form: ReadForm): readonly Route[] {
  async function show(request: Request, response: Response, attempt?: RejectedForm): Promise<void> {
    const frame = await organizationFrameOf(app, request, response);
    const freed = frame.frame.viewer.isAdministrator
      ? await app.records.streamRemovals.measureOrganization(frame.organization.id)
      : undefined;
    sendPage(response, renderOrganizationSettings({ ...frame, freed }, attempt), attempt === undefined ? 200 : 400);
  }

  return [
    get('/organizations/:org/settings', {
      action: 'manage-organization',
      ...SETTINGS,
      handle: (request, response) => show(request, response),
    }),

    post('/organizations/:org/settings', {
      action: 'manage-organization',
      ...CHANGE,
      async handle(request, response) {
        const given = await form(request);
        await attempting({ form: given, show: (attempt) => show(request, response, attempt) }, async () => {
          const before = organizationOf(response);
          await app.records.organizations.change(before.id, { ...fieldsOf(given), ...givenSettings(given, before) });
          response.redirect(303, './?did=change');
        });
      },
    }),

    post('/organizations/:org/remove', {
      action: 'administer',
      ...REMOVE_ORGANIZATION,
      async handle(request, response) {
        const given = await form(request);
        const { id } = organizationOf(response);
        await attempting({ form: given, show: (attempt) => show(request, response, attempt) }, async () => {
          requireTyped(given, id);
          await app.records.streamRemovals.beginOrganization(id);
          await app.jobs.removals.add();
          response.redirect(303, '../');
        });
      },
    }),
  ];
}

function streamRoutes({ records: { organizations } }: ServedApp, form: ReadForm): readonly Route[] {
  return [
    post('/organizations/:org/streams', {
      action: 'manage-organization',
      ...ADD_STREAM,
      async handle(request, response) {
        const given = await form(request);
        const id = given.get('stream')?.trim() ?? '';
        await organizations.addStream(param(request, 'org'), id, given.get('title') ?? undefined);
        response.locals.subject = id;
        response.redirect(303, './?did=stream');
      },
    }),

    post('/organizations/:org/streams/:stream/default', {
      action: 'manage-organization',
      ...MAKE_DEFAULT,
      async handle(request, response) {
        await organizations.changeStream(param(request, 'org'), param(request, 'stream'), { default: true });
        response.redirect(303, './');
      },
    }),

    post('/organizations/:org/streams/:stream/archive', {
      action: 'manage-organization',
      ...ARCHIVE,
      async handle(request, response, { undo }) {
        const archived = undo === undefined;
        await organizations.changeStream(param(request, 'org'), param(request, 'stream'), { archived });
        response.redirect(303, './');
      },
    }),
  ];
}

function dumpRoutes({ jobs: { streamDumps: streamDumpJobs } }: ServedApp): readonly Route[] {
  return DUMP_KINDS.map((kind) =>
    post(`/organizations/:org/dumps/${kind}`, {
      action: 'manage-organization',
      ...MAKE_DUMP,
      id: `${MAKE_DUMP.id}-${kind}`,
      async handle(request, response) {
        await streamDumpJobs.add({ organization: param(request, 'org'), kind });
        response.redirect(303, '../?did=dump');
      },
    }),
  );
}

/** Missing fields do not change: an incomplete form must not make an organization public. */
function fieldsOf(form: URLSearchParams): Partial<OrganizationFields> {
  const isPrivate = form.get('private') === 'yes';
  return {
    ...(form.has('title') && { title: form.get('title') ?? '' }),
    ...(form.has('contacts') && { contacts: linesOf(form, 'contacts').map(parseContact) }),
    ...(form.has('private') && { private: isPrivate, readers: isPrivate ? linesOf(form, 'readers') : [] }),
  };
}
