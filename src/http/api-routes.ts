import type { Request, Response } from 'express';
import { TidemarkError } from '../domain/errors.ts';
import { type ResourceKey, resolveLocation } from '../domain/key.ts';
import type { Resource } from '../domain/resource.ts';
import type { ResourceSet } from '../domain/resource-set.ts';
import { boundaryAfter, boundaryBefore, formatStamp } from '../domain/stamp.ts';
import { summarize } from '../sets/summarized-sets.ts';
import { limitOf, textOf, timeOf } from './query.ts';
import { param, setOf } from './route.ts';
import type { ServedApp } from './served-app.ts';
import { take } from './take.ts';
import { changeView, pageView, resourceView, setView } from './views.ts';

const SETS = { usual: 100, most: 1000 };
const ENTRIES = { usual: 100, most: 10_000 };

/** The JSON API: what the index knows, and the pages of the lists. Shapes are in schemas.ts. */
export function apiHandlers({ index, sets, publisher, configuration }: ServedApp) {
  const { baseUrl } = configuration;

  return {
    async sets(request: Request, response: Response): Promise<void> {
      const limit = limitOf(request, SETS);
      const after = textOf(request, 'after') ?? '';
      const following = (await sets.list()).filter(({ slug }) => slug > after);
      const shown = following.slice(0, limit);
      const next = following.length > limit ? shown.at(-1)?.slug : undefined;
      const views = (await summarize(index, shown)).map(({ set, summary }) => setView(set, summary, baseUrl));
      sendJson(response, { sets: views, next });
    },

    async set(_request: Request, response: Response): Promise<void> {
      const set = setOf(response);
      sendJson(response, setView(set, await index.summary(set.id), baseUrl));
    },

    async resources(request: Request, response: Response): Promise<void> {
      const set = setOf(response);
      const limit = limitOf(request, ENTRIES);
      const after = textOf(request, 'after');
      // One more tells whether there are more, and another one may be `after` itself, where the range begins.
      const found = await take(index.read(set.id, { from: after }), limit + 2);
      const following = found.filter(({ key }) => key !== after);
      const shown = following.slice(0, limit);
      const next = following.length > limit ? shown.at(-1)?.key : undefined;
      sendJson(response, { resources: shown.map((resource) => resourceView(set, resource)), next });
    },

    async resource(request: Request, response: Response): Promise<void> {
      const set = setOf(response);
      const key = keyOf(request, set);
      const [found] = await index.lookup(set.id, [key]);
      sendJson(response, resourceView(set, live(found, key)));
    },

    async changes(request: Request, response: Response): Promise<void> {
      const set = setOf(response);
      const limit = limitOf(request, ENTRIES);
      const [from, until] = [timeOf(request, 'from'), timeOf(request, 'until')];
      const range = {
        after: from === undefined ? set.epochStart : boundaryBefore(from),
        until: until === undefined ? undefined : boundaryAfter(until),
      };
      const found = await take(index.changes(set.id, range), limit + 1);
      const shown = found.slice(0, limit);
      const next = found.length > limit ? formatStamp(boundaryAfter(shown.at(-1)!.stamp)) : undefined;
      sendJson(response, { changes: shown.map((change) => changeView(set, change)), next });
    },

    async pages(_request: Request, response: Response): Promise<void> {
      const set = setOf(response);
      const pages = await publisher.pages(set.slug);
      sendJson(response, { pages: pages.map((page) => pageView(page, set, baseUrl)) });
    },

    async refreshPage(request: Request, response: Response): Promise<void> {
      const set = setOf(response);
      sendJson(response, pageView(await publisher.refreshPage(set.slug, param(request, 'name')), set, baseUrl));
    },
  };
}

function sendJson(response: Response, body: object): void {
  response.set('Cache-Control', 'no-store').json(body);
}

function keyOf(request: Request, set: ResourceSet): ResourceKey {
  const [key, uri] = [textOf(request, 'key'), textOf(request, 'uri')];
  if (uri !== undefined) return resolveLocation({ value: uri, type: 'url' }, set, 'uri');
  if (key !== undefined) return key;
  throw new TidemarkError('invalid', 'name the resource by uri= or key=', { code: 'bad-query', field: 'uri' });
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
