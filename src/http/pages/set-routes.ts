import type { Request } from 'express';
import { CHANGE_KINDS, type Change } from '../../core/change.ts';
import { TidemarkError } from '../../core/errors.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { boundaryBefore, clockStamp, type Stamp } from '../../core/stamp.ts';
import { MICROSECONDS, type TimeUnit } from '../../core/time-unit.ts';
import { MOST_ENTRIES } from '../../observe/audit/posting-entry.ts';
import type { HistoryRange } from '../../stores/set-statistics.ts';
import { setOf } from '../request/admitted.ts';
import { filteredChanges, newestChanges } from '../request/browse.ts';
import { keyOf } from '../request/named-resource.ts';
import { get, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import type { Taken } from '../request/take.ts';
import { linkToCapabilityList } from '../response/resource-headers.ts';
import { fitsOf, rangeOf } from './change-filter.ts';
import { renderChangesPage, renderWrongFilter } from './changes-page.ts';
import { shownArchive, shownDump } from './dump-page-routes.ts';
import { renderFindPage, renderWrongSearch } from './find-page.ts';
import { findResources } from './find-resources.ts';
import type { Series } from './parts/activity-plot.ts';
import { sendPage } from './parts/send-page.ts';
import { setFrameOf } from './parts/set-frame-of.ts';
import { renderPostingsPage } from './postings-page.ts';
import { renderResourcePage } from './resource-page.ts';
import { CHANGES, FIND, POSTINGS, RESOURCE, SET, TO_SET } from './set-operations.ts';
import { renderSetPage } from './set-page.ts';

/** Number of days and hours in the plots, including the current ones. */
const SHOWN_DAYS = 30;
const SHOWN_HOURS = 48;
const LATEST_CHANGES = 10;
const CHANGES_PER_PAGE = 100;
const HISTORY_PER_PAGE = 100;
const RESOURCES_PER_PAGE = 100;

/** The pages of a set. */
export function setRoutes(app: ServedApp): readonly Route[] {
  const { index, postingLog, records } = app;

  return [
    get('/sets/:set/', {
      action: 'read-documents',
      operation: SET,
      async handle(request, response) {
        const set = setOf(response);
        const page = await setFrameOf(app, { request, response }, 'overview');
        const [summary, cursor, changes, days, hours, dump, archive] = await Promise.all([
          index.summary(set.id),
          records.cursorOf(set),
          index.latest(set.id, { after: set.epochStart, limit: LATEST_CHANGES }),
          seriesOf(app, set, { unit: 'day', shown: SHOWN_DAYS }),
          seriesOf(app, set, { unit: 'hour', shown: SHOWN_HOURS }),
          shownDump(app, set, page.frame.viewer.isAdministrator),
          shownArchive(app, set, page.frame.viewer.isAdministrator),
        ]);
        response.append('Link', linkToCapabilityList('describes', set, app.configuration.baseUrl));
        sendPage(response, renderSetPage({ ...page, summary, cursor, changes, days, hours, dump, archive }));
      },
    }),

    get('/sets/:set', {
      action: 'read-documents',
      operation: TO_SET,
      // Relative links of the page need the trailing slash; this address is relative, too.
      handle: (_request, response) => response.redirect(308, `${setOf(response).slug}/`),
    }),

    get('/sets/:set/changes', {
      action: 'read-state',
      operation: CHANGES,
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
    }),

    get('/sets/:set/find', {
      action: 'read-state',
      operation: FIND,
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
    }),

    get('/sets/:set/resource', {
      action: 'read-state',
      operation: RESOURCE,
      async handle(request, response, { before, ...named }) {
        const set = setOf(response);
        const key = keyOf(named, set);
        const [resource] = await index.lookup(set.id, [key]);
        if (resource === undefined) throw new TidemarkError('not-found', `there is no resource ${key}`, { key });
        const read = (range: HistoryRange) => index.history(set.id, key, range);
        const history = await newestChanges(set, { before, limit: HISTORY_PER_PAGE }, read);
        const page = await setFrameOf(app, { request, response }, undefined);
        const shown = { history: history.taken, older: olderThan(history), isLatest: before === undefined };
        sendPage(response, renderResourcePage({ ...page, resource, ...shown }));
      },
    }),

    get('/sets/:set/postings', {
      action: 'read-postings',
      operation: POSTINGS,
      async handle(request, response) {
        const postings = await postingLog.read(setOf(response).id, MOST_ENTRIES);
        const page = await setFrameOf(app, { request, response }, 'postings');
        sendPage(response, renderPostingsPage({ ...page, postings }));
      },
    }),
  ];
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

/** The number of changes in each of the last days or hours. */
async function seriesOf(
  { activity }: ServedApp,
  { id }: ResourceSet,
  { unit, shown }: { readonly unit: TimeUnit; readonly shown: number },
): Promise<Series> {
  const until = clockStamp();
  return { unit, counts: await activity.of(id, { from: until - (shown - 1) * MICROSECONDS[unit], until, unit }) };
}
