import { administers } from '../../access/may.ts';
import { setSchema } from '../../api/schemas.ts';
import { changedSettingsSchema } from '../../api/set-schemas.ts';
import { setView } from '../../api/views.ts';
import { changedFields } from '../../config/changed-fields.ts';
import { type SetValues, shownSettings } from '../../config/set-settings.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { senderOf, setOf } from '../request/admitted.ts';
import { json, NO_PARAMETERS, type Operation } from '../request/operation.ts';
import { parseJsonBody } from '../request/parse-json-body.ts';
import { readBody, requestBody } from '../request/request-body.ts';
import { get, patch, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { sendJson } from '../response/send-json.ts';

const MOST_BYTES = 262_144;

const SHOW_SET = {
  id: 'showSet',
  tag: 'sets',
  summary: 'A set with its numbers and documents',
  query: NO_PARAMETERS,
  answers: [json(setSchema, 'The set; with all of its settings, for administrators.')],
} satisfies Operation;

const CHANGE_SET = {
  id: 'changeSet',
  tag: 'sets',
  summary: 'Changes settings of a set',
  description: 'What each change causes is in docs/configuration.md.',
  query: NO_PARAMETERS,
  body: { 'application/json': changedSettingsSchema },
  answers: [json(setSchema, 'The set as it is now, with all of its settings.')],
} satisfies Operation;

/** One set and its settings. @param stopping ends bodies that are being read when the server stops */
export function setApiRoutes({ index, sets, configuration }: ServedApp, stopping: AbortSignal): readonly Route[] {
  const { baseUrl, idleTimeout } = configuration;
  const view = async (set: ResourceSet) => setView(set, await index.summary(set.id), baseUrl);

  return [
    get('/api/sets/:set', {
      action: 'read-state',
      operation: SHOW_SET,
      async handle(_request, response) {
        const set = setOf(response);
        const settings = administers(senderOf(response)) ? shownSettings(set) : {};
        sendJson(response, { ...settings, ...(await view(set)) });
      },
    }),

    patch('/api/sets/:set', {
      action: 'administer',
      operation: CHANGE_SET,
      async handle(request, response) {
        const set = setOf(response);
        const bytes = await readBody(requestBody(request, { idleTimeout, stopping }), MOST_BYTES);
        const values = parseJsonBody(changedSettingsSchema, bytes) as SetValues;
        const changed = await sets.change(set.slug, changedFields(values, set, configuration));
        sendJson(response, { ...shownSettings(changed), ...(await view(changed)) });
      },
    }),
  ];
}
