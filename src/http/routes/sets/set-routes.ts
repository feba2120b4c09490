import * as z from 'zod';
import { administers } from '../../../access/may.ts';
import {
  changedSettingsSchema,
  newSetSchema,
  setSchema,
  setsSchema,
  setView,
  troubleOf,
} from '../../../api/resource-set-view.ts';
import { changedFields } from '../../../config/set/changed-fields.ts';
import { newSetFields } from '../../../config/set/new-set-fields.ts';
import { type SetValues, shownSettings } from '../../../config/set/set-settings.ts';
import { parseSlug, type ResourceSet } from '../../../core/resource-set.ts';
import { formatStamp } from '../../../core/stamp.ts';
import { requireConfirmed } from '../../../sets/remove-set.ts';
import { summarize } from '../../../sets/summarized-sets.ts';
import { findSource } from '../../../sources/find-source.ts';
import { senderOf, setOf } from '../../request/admitted.ts';
import { json, NO_PARAMETERS } from '../../request/operation.ts';
import { parseJsonBody } from '../../request/parse-json-body.ts';
import { choice, limit, text } from '../../request/query-parameters.ts';
import { readBody, requestBody } from '../../request/request-body.ts';
import { get, patch, post, type Route, remove } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { sendJson } from '../../response/send-json.ts';
import { shownSets } from '../../response/shown-sets.ts';

const removedSetSchema = z
  .strictObject({
    removed: z.string().describe('The id of the set.'),
    canBeUsedAgain: z.boolean().describe('Whether another set can have the id, because the set never had a change.'),
  })
  .meta({ id: 'RemovedSet', description: 'A set that was removed.' });

const requestedScanSchema = z
  .strictObject({ set: z.string(), requested: z.string().meta({ format: 'date-time' }) })
  .meta({ id: 'RequestedScan', description: 'A scan that begins soon.' });

const MOST_BYTES = 262_144;

/** The sets and their settings. @param stopping ends bodies that are being read when the server stops */
export function setApiRoutes(
  { index, sets, scanners, configuration }: ServedApp,
  stopping: AbortSignal,
): readonly Route[] {
  const { baseUrl, idleTimeoutMs, apiRoots: allowedRoots } = configuration;
  const view = async (set: ResourceSet) => setView(set, await index.summary(set.id), baseUrl);
  const withSettings = async (set: ResourceSet) => ({
    ...shownSettings(set),
    ...(await view(set)),
    trouble: troubleOf(set),
    scannedBy: (await scanners.scannersOf([set])).get(set.id)?.name,
    hiddenFiles: set.hidden,
  });

  return [
    get('/api/sets', {
      action: 'read-state',
      id: 'listSets',
      tag: 'sets',
      summary: 'The sets, in the order of their ids',
      query: z.strictObject({
        limit: limit({ usual: 100, most: 1000 }),
        after: text('Only the sets after this id: the `next` of the answer before.', 'papers'),
      }),
      answers: [json(setsSchema, 'Some of the sets.')],
      async handle(_request, response, { limit, after = '' }) {
        const following = (await shownSets({ sets }, response)).filter(({ slug }) => slug > after);
        const shown = following.slice(0, limit);
        const next = following.length > limit ? shown.at(-1)?.slug : undefined;
        const views = (await summarize(index, shown)).map(({ set, summary }) => setView(set, summary, baseUrl));
        sendJson(response, { sets: views, next });
      },
    }),

    get('/api/sets/:set', {
      action: 'read-state',
      id: 'showSet',
      tag: 'sets',
      summary: 'A set with its numbers and documents',
      query: NO_PARAMETERS,
      answers: [json(setSchema, 'The set; with all of its settings, for administrators.')],
      async handle(_request, response) {
        const set = setOf(response);
        sendJson(response, administers(senderOf(response)) ? await withSettings(set) : await view(set));
      },
    }),

    post('/api/sets', {
      action: 'administer',
      id: 'addSet',
      tag: 'sets',
      summary: 'Adds a set',
      description:
        'A set with a root or with records is read by the server that keeps sets in sync, which begins within seconds; its lists exist when all was read.',
      query: NO_PARAMETERS,
      body: { 'application/json': newSetSchema },
      answers: [
        { ...json(setSchema, 'The set was added; with all of its settings.', 201), headers: ['Location'] },
        { status: 409, description: 'The id, or an alias, is or was that of another set.' },
      ],
      async handle(request, response) {
        const bytes = await readBody(requestBody(request, { idleTimeoutMs, stopping }), MOST_BYTES);
        const { set: slug, ...values } = parseJsonBody(newSetSchema, bytes) as SetValues & { readonly set: string };
        parseSlug(slug);
        const context = { configuration, workingDirectory: '/', allowedRoots, findSource, slug };
        const set = await sets.add({ slug, ...(await newSetFields(values, context)) });
        response.locals.subject = set.slug;
        response.location(`sets/${set.slug}`);
        sendJson(response, await withSettings(set), 201);
      },
    }),

    patch('/api/sets/:set', {
      action: 'administer',
      id: 'changeSet',
      tag: 'sets',
      summary: 'Changes settings of a set',
      description: 'What each change causes is in docs/configuration.md.',
      query: NO_PARAMETERS,
      body: { 'application/json': changedSettingsSchema },
      answers: [
        json(setSchema, 'The set as it is now, with all of its settings.'),
        { status: 409, description: 'Another set has an alias as its name.' },
      ],
      async handle(request, response) {
        const set = setOf(response);
        const bytes = await readBody(requestBody(request, { idleTimeoutMs, stopping }), MOST_BYTES);
        const values = parseJsonBody(changedSettingsSchema, bytes) as SetValues;
        const changed = await sets.change(set.slug, changedFields(values, set, configuration));
        sendJson(response, await withSettings(changed));
      },
    }),

    remove('/api/sets/:set', {
      action: 'administer',
      id: 'removeSet',
      tag: 'sets',
      summary: 'Removes a set from the source, for good',
      description:
        'Its addresses answer 410 from then on. Files are not touched; stored packages, archived lists and kept versions are removed by nightly jobs. The id can only be used again if the set never had a change.',
      query: z.strictObject({
        confirm: choice(['no', 'yes'], 'Whether a set that has changes is to be removed.'),
      }),
      answers: [
        json(removedSetSchema, 'It was removed.'),
        { status: 409, description: 'The set has changes, and `confirm` is not `yes`.' },
      ],
      async handle(_request, response, { confirm }) {
        const { id, slug } = setOf(response);
        requireConfirmed(slug, (await index.summary(id)).changes, confirm === 'yes');
        const canBeUsedAgain = await sets.remove(slug);
        sendJson(response, { removed: slug, canBeUsedAgain });
      },
    }),

    post('/api/sets/:set/scan', {
      action: 'administer',
      id: 'scanSet',
      tag: 'sets',
      summary: 'Compares all of a set with its source again',
      description:
        'The server that keeps sets in sync begins within seconds. What it changes is among the postings of the set when it is done.',
      query: NO_PARAMETERS,
      answers: [
        json(requestedScanSchema, 'A scan begins soon.', 202),
        { status: 409, description: 'The set has no source: its changes are posted.' },
      ],
      async handle(_request, response) {
        const { slug, scanRequested = 0 } = await sets.requestScan(setOf(response).slug);
        sendJson(response, { set: slug, requested: formatStamp(scanRequested) }, 202);
      },
    }),
  ];
}
