import { changeView, pageView, resourceView, setView } from '../../api/views.ts';
import { TidemarkError } from '../../core/errors.ts';
import type { Resource } from '../../core/resource.ts';
import { boundaryAfter, boundaryBefore, formatStamp } from '../../core/stamp.ts';
import { summarize } from '../../sets/summarized-sets.ts';
import { param, setOf } from '../request/admitted.ts';
import { resourcesAfter, searchedResources } from '../request/browse.ts';
import { keyOf, listedPage } from '../request/named-resource.ts';
import { get, post, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { take } from '../request/take.ts';
import { sendJson } from '../response/send-json.ts';
import { shownSets } from '../response/shown-sets.ts';
import { LIST_CHANGES, LIST_PAGES, LIST_RESOURCES, LIST_SETS, REFRESH_PAGE, SHOW_RESOURCE } from './api-operations.ts';
import { historyRoutes } from './history-routes.ts';

const MOST_FOUND = 1_000;

/** The JSON API: the contents of the index, and the pages of the lists. */
export function apiRoutes(app: ServedApp): readonly Route[] {
  const { publisher } = app.publishing;
  const { index, sets, configuration } = app;
  const { baseUrl } = configuration;

  return [
    ...historyRoutes(app),

    get('/api/sets', {
      action: 'read-state',
      operation: LIST_SETS,
      async handle(_request, response, { limit, after = '' }) {
        const following = (await shownSets({ sets }, response)).filter(({ slug }) => slug > after);
        const shown = following.slice(0, limit);
        const next = following.length > limit ? shown.at(-1)?.slug : undefined;
        const views = (await summarize(index, shown)).map(({ set, summary }) => setView(set, summary, baseUrl));
        sendJson(response, { sets: views, next });
      },
    }),

    get('/api/sets/:set/resources', {
      action: 'read-state',
      operation: LIST_RESOURCES,
      async handle(_request, response, { limit, after, contains = '' }) {
        const set = setOf(response);
        const search = { part: contains, after, limit: Math.min(limit, MOST_FOUND) };
        const { resources, next } =
          contains === ''
            ? await resourcesAfter(index, set, { after, limit })
            : await searchedResources(index, set, search);
        sendJson(response, { resources: resources.map((resource) => resourceView(set, resource)), next });
      },
    }),

    get('/api/sets/:set/resource', {
      action: 'read-state',
      operation: SHOW_RESOURCE,
      async handle(_request, response, query) {
        const set = setOf(response);
        const key = keyOf(query, set);
        const [found] = await index.lookup(set.id, [key]);
        const resource = resourceView(set, live(found, key));
        sendJson(response, { ...resource, page: (await listedPage(publisher, set, key))?.uri });
      },
    }),

    get('/api/sets/:set/changes', {
      action: 'read-state',
      operation: LIST_CHANGES,
      async handle(_request, response, { limit, from, until }) {
        const set = setOf(response);
        const range = {
          after: from === undefined ? set.epochStart : boundaryBefore(from),
          until: until === undefined ? undefined : boundaryAfter(until),
        };
        const { taken, hasMore } = await take(index.changes(set.id, range), set, limit);
        const next = hasMore ? formatStamp(boundaryAfter(taken.at(-1)!.stamp)) : undefined;
        sendJson(response, { changes: taken.map((change) => changeView(set, change)), next });
      },
    }),

    get('/api/sets/:set/pages', {
      action: 'read-state',
      operation: LIST_PAGES,
      async handle(_request, response) {
        const set = setOf(response);
        const pages = await publisher.pages(set.slug);
        sendJson(response, { pages: pages.map((page) => pageView(page, set, baseUrl)) });
      },
    }),

    post('/api/sets/:set/pages/:name/refresh', {
      action: 'administer',
      operation: REFRESH_PAGE,
      async handle(request, response) {
        const set = setOf(response);
        const page = await publisher.refreshPage(set.slug, param(request, 'name'));
        sendJson(response, pageView(page, set, baseUrl));
      },
    }),
  ];
}

function live(
  found: { readonly state: Resource['state'] | undefined; readonly stamp: number } | undefined,
  key: string,
) {
  if (found?.state !== undefined) return found as Resource;
  const deleted = found === undefined ? undefined : formatStamp(found.stamp);
  const message =
    deleted === undefined ? `there is no resource ${key}` : `the resource ${key} was deleted at ${deleted}`;
  throw new TidemarkError('not-found', message, { key, ...(deleted !== undefined && { deleted }) });
}
