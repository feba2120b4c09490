import { administers } from '../../../access/may.ts';
import { changedSettingsSchema, newSetSchema } from '../../../api/set-schemas.ts';
import { setView, troubleOf } from '../../../api/views.ts';
import { changedFields } from '../../../config/set/changed-fields.ts';
import { newSetFields } from '../../../config/set/new-set-fields.ts';
import { type SetValues, shownSettings } from '../../../config/set/set-settings.ts';
import { parseSlug, type ResourceSet } from '../../../core/resource-set.ts';
import { formatStamp } from '../../../core/stamp.ts';
import { requireConfirmed } from '../../../sets/remove-set.ts';
import { findSource } from '../../../sources/find-source.ts';
import { senderOf, setOf } from '../../request/admitted.ts';
import { parseJsonBody } from '../../request/parse-json-body.ts';
import { readBody, requestBody } from '../../request/request-body.ts';
import { get, patch, post, type Route, remove } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { sendJson } from '../../response/send-json.ts';
import { ADD_SET, CHANGE_SET, REMOVE_SET, SCAN_SET, SHOW_SET } from './set-operations.ts';

const MOST_BYTES = 262_144;

/** One set and its settings. @param stopping ends bodies that are being read when the server stops */
export function setApiRoutes({ index, sets, configuration }: ServedApp, stopping: AbortSignal): readonly Route[] {
  const { baseUrl, idleTimeoutMs, apiRoots: allowedRoots } = configuration;
  const view = async (set: ResourceSet) => setView(set, await index.summary(set.id), baseUrl);
  const withSettings = async (set: ResourceSet) => ({
    ...shownSettings(set),
    ...(await view(set)),
    trouble: troubleOf(set),
    hiddenFiles: set.hidden,
  });

  return [
    get('/api/sets/:set', {
      action: 'read-state',
      operation: SHOW_SET,
      async handle(_request, response) {
        const set = setOf(response);
        sendJson(response, administers(senderOf(response)) ? await withSettings(set) : await view(set));
      },
    }),

    post('/api/sets', {
      action: 'administer',
      operation: ADD_SET,
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
      operation: CHANGE_SET,
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
      operation: REMOVE_SET,
      async handle(_request, response, { confirm }) {
        const { id, slug } = setOf(response);
        requireConfirmed(slug, (await index.summary(id)).changes, confirm === 'yes');
        const canBeUsedAgain = await sets.remove(slug);
        sendJson(response, { removed: slug, canBeUsedAgain });
      },
    }),

    post('/api/sets/:set/scan', {
      action: 'administer',
      operation: SCAN_SET,
      async handle(_request, response) {
        const { slug, scanRequested = 0 } = await sets.requestScan(setOf(response).slug);
        sendJson(response, { set: slug, requested: formatStamp(scanRequested) }, 202);
      },
    }),
  ];
}
