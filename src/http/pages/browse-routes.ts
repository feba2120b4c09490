import type { Request } from 'express';
import * as z from 'zod';
import { CHANGE_KINDS, type Change } from '../../core/change.ts';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import { keptSince, type ResourceSet } from '../../core/resource-set.ts';
import { boundaryBefore, type Stamp } from '../../core/stamp.ts';
import type { HistoryRange } from '../../stores/set-statistics.ts';
import { setOf } from '../request/admitted.ts';
import { filteredChanges, newestChanges } from '../request/browse.ts';
import { keyOf, listedPage } from '../request/named-resource.ts';
import { pageOperation } from '../request/operation.ts';
import { get, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import type { Taken } from '../request/take.ts';
import { fitsOf, rangeOf } from './change-filter.ts';
import { renderChangesPage, renderWrongFilter } from './changes-page.ts';
import { renderFindPage, renderWrongSearch } from './find-page.ts';
import { findResources } from './find-resources.ts';
import { before, changeKind, day, searchedName } from './parts/page-query.ts';
import { sendPage } from './parts/send-page.ts';
import { setFrameOf } from './parts/set-frame-of.ts';
import { renderResourcePage } from './resource-page.ts';

const CHANGES_PER_PAGE = 100;
const HISTORY_PER_PAGE = 100;
const RESOURCES_PER_PAGE = 100;

/** The pages that show the changes and the resources of a set, some at a time. */
export function browseRoutes(app: ServedApp): readonly Route[] {
  return [changesRoute(app), findRoute(app), resourceRoute(app)];
}

/** Changes, filtered by key, kind and time. */
function changesRoute(app: ServedApp): Route {
  const { index } = app;
  return get('/sets/:set/changes', {
    action: 'read-state',
    ...pageOperation(
      'changesPage',
      'The changes of a set, newest first: all, or those of a kind, of some days, or with some text in their name',
    ),
    query: z
      .object({ q: searchedName, kind: changeKind, from: day, until: day, before })
      .refine(({ from = '', until = from }) => from <= until, { path: ['until'], error: 'is earlier than from' }),
    async handle(request, response, { before, ...filter }) {
      const set = setOf(response);
      const range = {
        ...rangeOf(filter, { before, epochStart: set.epochStart }),
        fits: fitsOf(filter),
        limit: CHANGES_PER_PAGE,
      };
      const { changes, next } = await filteredChanges(set, range, (asked) => index.latest(set.id, asked));
      const page = await setFrameOf(app, { request, response }, 'changes');
      const shown = { filter, changes, older: next, isLatest: before === undefined };
      sendPage(response, renderChangesPage({ ...page, ...shown }));
    },
    async showWrong(request, response, problem) {
      const page = await setFrameOf(app, { request, response }, 'changes');
      const kind = CHANGE_KINDS.find((one) => one === request.query.kind);
      const filter = { q: given(request, 'q'), kind, from: given(request, 'from'), until: given(request, 'until') };
      sendPage(response.vary('Accept'), renderWrongFilter(page, filter, problem), 400);
    },
  });
}

/** Resources by a part of their URI. */
function findRoute(app: ServedApp): Route {
  const { index } = app;
  return get('/sets/:set/find', {
    action: 'read-state',
    ...pageOperation('findPage', 'The resources of a set, or those with some text in their name'),
    query: z.object({ q: searchedName, after: z.string().optional() }),
    async handle(request, response, { q, after }) {
      const set = setOf(response);
      const [found, { resources: total }] = await Promise.all([
        findResources(index, set, { q, after, limit: RESOURCES_PER_PAGE }),
        index.summary(set.id),
      ]);
      const page = await setFrameOf(app, { request, response }, 'resources');
      sendPage(response, renderFindPage({ ...page, q, after, total, ...found }));
    },
    async showWrong(request, response, problem) {
      const page = await setFrameOf(app, { request, response }, 'resources');
      sendPage(response.vary('Accept'), renderWrongSearch(page, given(request, 'q'), problem), 400);
    },
  });
}

/** One resource, and its changes. */
function resourceRoute(app: ServedApp): Route {
  const { publisher } = app.publishing;
  const { index } = app;
  return get('/sets/:set/resource', {
    action: 'read-state',
    ...pageOperation('resourcePage', 'A resource with its state and its history'),
    query: z.object({ key: z.string().optional(), uri: z.string().optional(), before }),
    async handle(request, response, { before, ...named }) {
      const set = setOf(response);
      const key = keyOf(named, set);
      const [resource] = await index.lookup(set.id, [key]);
      if (resource === undefined) throw new TidemarkError('not-found', `there is no resource ${key}`, { key });
      const read = (range: HistoryRange) => index.history(set.id, key, range);
      const history = await newestChanges(set, { before, limit: HISTORY_PER_PAGE }, read);
      const page = await setFrameOf(app, { request, response }, undefined);
      const versions = await keptVersions(app, set, history.taken);
      const listed = resource.state === undefined ? undefined : await listedPage(publisher, set, key);
      const shown = {
        listed,
        history: history.taken,
        versions,
        older: olderThan(history),
        isLatest: before === undefined,
      };
      sendPage(response, renderResourcePage({ ...page, resource, ...shown }));
    },
  });
}

/** Undefined when the set keeps none, and while the artifact store is away: the history is shown all the same. */
async function keptVersions(
  { publishing: { versions } }: ServedApp,
  set: ResourceSet,
  history: readonly Change[],
): Promise<ReadonlySet<Stamp> | undefined> {
  if (keptSince(set) === undefined) return undefined;
  try {
    return new Set((await versions.among(set, history)).map(({ stamp }) => stamp));
  } catch (error) {
    if (isTidemarkError(error, 'unavailable')) return undefined;
    throw error;
  }
}

/** The text of an invalid query parameter; empty when it was given several times. */
function given({ query }: Request, name: string): string {
  const value = query[name];
  return typeof value === 'string' ? value : '';
}

/** The boundary below the last of these changes (newest first), when there are older ones. */
function olderThan({ taken, hasMore }: Taken<Change>): Stamp | undefined {
  return hasMore ? boundaryBefore(taken.at(-1)!.stamp) : undefined;
}
