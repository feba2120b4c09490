import type { Request, Response } from 'express';
import { changedCollectionSchema, newCollectionSchema } from '../../../api/collection-view.ts';
import { collectionOf } from '../../request/admitted.ts';
import { checkBody } from '../../request/parse-json-body.ts';
import { readForm } from '../../request/read-form.ts';
import { get, post, type Route } from '../../request/route.ts';
import { requireAllowedTransform } from '../../request/run-requests.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { attempting } from '../manage/attempting.ts';
import type { RejectedForm } from '../manage/set-pages.ts';
import { frameOf } from '../parts/frame.ts';
import { linesOf } from '../parts/lines-of.ts';
import { sendPage } from '../parts/send-page.ts';
import { FLAG_FIELDS, renderAddCollectionPage, renderCollectionSettings, TEXT_FIELDS } from './collection-form-page.ts';
import { collectionFrameOf } from './collection-frame.ts';
import { ADD, ADD_FORM, CHANGE, REMOVE, SETTINGS } from './collection-page-operations.ts';

/** Forms in which administrators add, change and remove collections. @param stopping ends bodies that are being read */
export function collectionFormRoutes(app: ServedApp, stopping: AbortSignal): readonly Route[] {
  const { collections } = app.records;
  const { idleTimeoutMs } = app.configuration;
  const form = (request: Request) => readForm(request, { idleTimeoutMs, stopping });

  async function showAdd(request: Request, response: Response, attempt?: RejectedForm): Promise<void> {
    const frame = await frameOf(app, request, response);
    sendPage(response, renderAddCollectionPage(frame, attempt), attempt === undefined ? 200 : 400);
  }

  async function showSettings(request: Request, response: Response, attempt?: RejectedForm): Promise<void> {
    const frame = await collectionFrameOf(app, request, response);
    sendPage(response, renderCollectionSettings(frame, attempt), attempt === undefined ? 200 : 400);
  }

  return [
    get('/add-collection', {
      action: 'administer',
      ...ADD_FORM,
      handle: (request, response) => showAdd(request, response),
    }),

    post('/add-collection', {
      action: 'administer',
      ...ADD,
      async handle(request, response) {
        const given = await form(request);
        const show = (attempt: RejectedForm) => showAdd(request, response, attempt);
        await attempting({ form: given, show }, async () => {
          const { collection: id, ...fields } = checkBody(newCollectionSchema, newValues(given));
          await requireAllowedTransform(fields, app);
          const added = await collections.add(id, fields);
          response.locals.subject = added.id;
          response.redirect(303, `./collections/${added.id}/`);
        });
      },
    }),

    get('/collections/:collection/settings', {
      action: 'administer',
      ...SETTINGS,
      handle: (request, response) => showSettings(request, response),
    }),

    post('/collections/:collection/settings', {
      action: 'administer',
      ...CHANGE,
      async handle(request, response) {
        const given = await form(request);
        const show = (attempt: RejectedForm) => showSettings(request, response, attempt);
        await attempting({ form: given, show }, async () => {
          const { id, transform: before } = collectionOf(response);
          const changes = checkBody(changedCollectionSchema, valuesOf(given));
          // One that was set on the command line may stay.
          if (changes.transform !== (before ?? '')) await requireAllowedTransform(changes, app);
          await collections.change(id, changes);
          response.redirect(303, './?did=change');
        });
      },
    }),

    post('/collections/:collection/remove', {
      action: 'administer',
      ...REMOVE,
      async handle(_request, response) {
        await collections.remove(collectionOf(response).id);
        response.redirect(303, '../');
      },
    }),
  ];
}

/** The fields that were filled in, of a new collection. */
function newValues(form: URLSearchParams): object {
  const ids = { collection: form.get('collection')?.trim() ?? '', provider: form.get('provider')?.trim() };
  return Object.fromEntries(Object.entries({ ...valuesOf(form), ...ids }).filter(([, value]) => value !== ''));
}

/** Missing fields do not change. Of an incomplete form, boxes without a mark do not count. */
function valuesOf(form: URLSearchParams): object {
  const texts = TEXT_FIELDS.filter((name) => form.has(name)).map((name) => [name, form.get(name)!.trim()]);
  const flags = form.has('malformed') ? FLAG_FIELDS.map((name) => [name, form.get(name) === 'yes']) : [];
  return {
    ...Object.fromEntries([...texts, ...flags]),
    ...(form.has('sets') && { sets: linesOf(form, 'sets') }),
    ...(form.has('malformed') && { malformed: form.get('malformed') }),
  };
}
