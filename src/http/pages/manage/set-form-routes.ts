import type { Request, Response } from 'express';
import * as z from 'zod';
import { changedSettingsSchema, newSetSchema } from '../../../api/resource-set-view.ts';
import { changedFields } from '../../../config/set/changed-fields.ts';
import { newSetFields } from '../../../config/set/new-set-fields.ts';
import { type SetValues, shownSettings } from '../../../config/set/set-settings.ts';
import { TidemarkError } from '../../../core/errors.ts';
import { parseSlug } from '../../../core/resource-set.ts';
import { findSource } from '../../../sources/find-source.ts';
import { setOf } from '../../request/admitted.ts';
import { type Operation, pageOperation } from '../../request/operation.ts';
import { checkBody } from '../../request/parse-json-body.ts';
import { FORM_BODY, readForm } from '../../request/read-form.ts';
import { get, post, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { frameOf } from '../parts/frame.ts';
import { CONFIRMATION } from '../parts/remove-section.ts';
import { sendPage } from '../parts/send-page.ts';
import { setFrameOf } from '../parts/set-frame.ts';
import { attempting } from './attempting.ts';
import { valuesOfForm } from './set-form.ts';
import { ADDED, CHANGED, ORIGINS, type RejectedForm, renderAddSetPage, renderSettingsPage } from './set-pages.ts';

const DID = z.object({ did: z.enum(['add', 'change', 'scan']).optional() });

/** Reads the form of a request. */
type ReadForm = (request: Request) => Promise<URLSearchParams>;

interface Exchange {
  readonly request: Request;
  readonly response: Response;
}

/** Forms in which administrators add, change, scan and remove sets. @param stopping ends bodies that are being read */
export function setFormRoutes(app: ServedApp, stopping: AbortSignal): readonly Route[] {
  const { idleTimeoutMs } = app.configuration;
  const form: ReadForm = (request) => readForm(request, { idleTimeoutMs, stopping });
  return [...addRoutes(app, form), ...settingsRoutes(app, form), scanRoute(app), removeRoute(app, form)];
}

function addRoutes(app: ServedApp, form: ReadForm): readonly Route[] {
  const { sets, configuration } = app;
  const { apiRoots: allowedRoots } = configuration;

  async function show({ request, response }: Exchange, attempt?: RejectedForm): Promise<void> {
    const frame = await frameOf(app, request, response);
    const page = renderAddSetPage({ frame, takesRoots: allowedRoots.length > 0, attempt });
    sendPage(response, page, attempt === undefined ? 200 : 400);
  }

  return [
    get('/add-set', {
      action: 'administer',
      ...pageOperation('addSetPage', 'The form that adds a set'),
      handle: (request, response) => show({ request, response }),
    }),

    post('/add-set', {
      action: 'administer',
      ...byForm('addSetByForm', 'Adds a set, and leads to its settings'),
      async handle(request, response) {
        const given = await form(request);
        await attempting({ form: given, show: (attempt) => show({ request, response }, attempt) }, async () => {
          if (!ORIGINS.some((name) => given.get(name)?.trim())) throw withoutOrigin();
          const body = { set: given.get('set')?.trim() ?? '', ...valuesOfForm(given, ADDED) };
          const { set: id, ...values } = checkBody(newSetSchema, body) as SetValues & { readonly set: string };
          const slug = parseSlug(id);
          const context = { configuration, workingDirectory: '/', allowedRoots, findSource, slug };
          await sets.add({ slug, ...(await newSetFields(values, context)) });
          response.locals.subject = slug;
          response.redirect(303, `./sets/${slug}/settings?did=add`);
        });
      },
    }),
  ];
}

function settingsRoutes(app: ServedApp, form: ReadForm): readonly Route[] {
  const { sets, configuration } = app;
  return [
    get('/sets/:set/settings', {
      action: 'administer',
      ...pageOperation('settingsPage', 'The settings of a set, and what an administrator can do with it'),
      query: DID,
      handle: (request, response, { did }) => showSettings(app, { request, response }, { did }),
    }),

    post('/sets/:set/settings', {
      action: 'administer',
      ...byForm('changeSetByForm', 'Changes settings of a set, and leads back to them'),
      async handle(request, response) {
        const given = await form(request);
        const show = (attempt: RejectedForm) => showSettings(app, { request, response }, { attempt });
        await attempting({ form: given, show }, async () => {
          const set = setOf(response);
          const changed = valuesOfForm(given, CHANGED, shownSettings(set));
          const values = checkBody(changedSettingsSchema, changed) as SetValues;
          await sets.change(set.slug, changedFields(values, set, configuration));
          response.redirect(303, './settings?did=change');
        });
      },
    }),
  ];
}

function scanRoute({ sets }: ServedApp): Route {
  return post('/sets/:set/scan', {
    action: 'administer',
    id: 'scanSetByForm',
    tag: 'pages',
    summary: 'Compares all of a set with its source again, and leads back to its settings',
    answers: [
      { status: 303, description: 'It begins soon.', headers: ['Location'] },
      { status: 409, description: 'The set has no source: its changes are posted.' },
    ],
    async handle(_request, response) {
      await sets.requestScan(setOf(response).slug);
      response.redirect(303, './settings?did=scan');
    },
  });
}

function removeRoute(app: ServedApp, form: ReadForm): Route {
  return post('/sets/:set/remove', {
    action: 'administer',
    ...byForm('removeSetByForm', 'Removes a set for good, and leads to the others'),
    description: `The field \`${CONFIRMATION}\` repeats the id of the set.`,
    async handle(request, response) {
      const given = await form(request);
      const show = (attempt: RejectedForm) => showSettings(app, { request, response }, { attempt });
      await attempting({ form: given, show }, async () => {
        const { slug } = setOf(response);
        if (given.get(CONFIRMATION)?.trim() !== slug) throw unconfirmed(slug);
        await app.sets.remove(slug);
        response.redirect(303, '../../');
      });
    },
  });
}

async function showSettings(
  app: ServedApp,
  { request, response }: Exchange,
  more: { readonly attempt?: RejectedForm; readonly did?: 'add' | 'change' | 'scan' | undefined },
): Promise<void> {
  const set = setOf(response);
  const { changes } = await app.index.summary(set.id);
  const scanner = (await app.scanners.scannersOf([set])).get(set.id);
  const page = await setFrameOf(app, { request, response }, 'settings');
  sendPage(
    response,
    renderSettingsPage({ ...page, changes, scanner, ...more }),
    more.attempt === undefined ? 200 : 400,
  );
}

function withoutOrigin(): TidemarkError {
  return new TidemarkError('invalid', 'say where its resources come from: one of the fields below is needed');
}

function unconfirmed(slug: string): TidemarkError {
  return new TidemarkError('invalid', `the set was not removed: type its id, ${slug}, to confirm it`, {
    field: CONFIRMATION,
  });
}

function byForm(id: string, summary: string) {
  return {
    id,
    tag: 'pages',
    summary,
    body: FORM_BODY,
    answers: [
      { status: 303, description: 'The change was made; Location is the page that shows it.', headers: ['Location'] },
    ],
  } as const satisfies Operation;
}
