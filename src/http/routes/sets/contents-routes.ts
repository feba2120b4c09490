import * as z from 'zod';
import {
  pageSchema,
  pagesSchema,
  pageView,
  resourceSchema,
  resourcesSchema,
  resourceView,
} from '../../../api/resource-view.ts';
import { TidemarkError } from '../../../core/errors.ts';
import type { Resource } from '../../../core/resource.ts';
import { formatStamp } from '../../../core/stamp.ts';
import { param, setOf } from '../../request/admitted.ts';
import { resourcesAfter, searchedResources } from '../../request/browse.ts';
import { keyOf, listedPage } from '../../request/named-resource.ts';
import { json, NO_PARAMETERS } from '../../request/operation.ts';
import { limit, text } from '../../request/query-parameters.ts';
import { get, post, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { MAY_BE_SHORTER } from '../../request/take.ts';
import { sendJson } from '../../response/send-json.ts';

const MOST_FOUND = 1_000;

/** What a set has: its resources, and the pages of its Resource List. */
export function contentsRoutes({
  index,
  publishing: { publisher },
  configuration: { baseUrl },
}: ServedApp): readonly Route[] {
  return [
    get('/api/sets/:set/resources', {
      action: 'read-state',
      id: 'listResources',
      tag: 'sets',
      summary: 'The resources that are live, in the order of their keys',
      description: `${MAY_BE_SHORTER} With \`contains\`, an answer holds at most 1,000, and comes after half a second or so: it may hold fewer than there are, even none; \`next\` then says how far the search came. All were searched when there is no \`next\`.`,
      query: z.strictObject({
        limit: limit({ usual: 100, most: 10_000 }),
        after: text('Only the resources after this key: the `next` of the answer before.', '/2026/a.pdf'),
        contains: text(
          'Only the resources whose key holds this text, not percent-encoded; the case of ASCII letters does not count. What begins with `/` or `^` is the beginning of a path, and then case counts.',
          'report 2026',
        ),
      }),
      answers: [json(resourcesSchema, 'Some of the resources.')],
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
      id: 'showResource',
      tag: 'sets',
      summary: 'One resource, by its URI or its key',
      description: 'One of `uri` and `key` is needed. For a resource that was deleted, the error says when.',
      query: z.strictObject({
        uri: text('The URI of the resource.', 'https://data.example.org/papers/2026/a.pdf'),
        key: text(
          'Its key: `/` and the percent-encoded path below the prefix of the set, or its URI when it is elsewhere.',
          '/2026/a.pdf',
        ),
      }),
      answers: [json(resourceSchema, 'The resource.')],
      async handle(_request, response, query) {
        const set = setOf(response);
        const key = keyOf(query, set);
        const [found] = await index.lookup(set.id, [key]);
        const resource = resourceView(set, live(found, key));
        sendJson(response, { ...resource, page: (await listedPage(publisher, set, key))?.uri });
      },
    }),

    get('/api/sets/:set/pages', {
      action: 'read-state',
      id: 'listPages',
      tag: 'sets',
      summary: 'The pages of the Resource List',
      query: NO_PARAMETERS,
      answers: [json(pagesSchema, 'All pages, in the order of the keys that they hold.')],
      async handle(_request, response) {
        const set = setOf(response);
        const pages = await publisher.pages(set.slug);
        sendJson(response, { pages: pages.map((page) => pageView(page, set, baseUrl)) });
      },
    }),

    post('/api/sets/:set/pages/:name/refresh', {
      action: 'administer',
      id: 'refreshPage',
      tag: 'sets',
      summary: 'Renders a page of the Resource List anew',
      query: NO_PARAMETERS,
      answers: [json(pageSchema, 'The page as it is now.')],
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
