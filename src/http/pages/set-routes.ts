import type { ResourceSet } from '../../core/resource-set.ts';
import { clockStamp } from '../../core/stamp.ts';
import { MICROSECONDS, type TimeUnit } from '../../core/time-unit.ts';
import { MOST_ENTRIES } from '../../observe/audit/posting-entry.ts';
import { setOf } from '../request/admitted.ts';
import { page as htmlPage, pageOperation } from '../request/operation.ts';
import { get, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { linkToCapabilityList } from '../response/resource-headers.ts';
import { browseRoutes } from './browse-routes.ts';
import { shownArchive, shownDump } from './dump-page-routes.ts';
import type { Series } from './parts/activity-plot.ts';
import { sendPage } from './parts/send-page.ts';
import { setFrameOf } from './parts/set-frame-of.ts';
import { renderPostingsPage } from './postings-page.ts';
import { renderSetPage } from './set-page.ts';

/** Number of days and hours in the plots, including the current ones. */
const SHOWN_DAYS = 30;
const SHOWN_HOURS = 48;
const LATEST_CHANGES = 10;

/** The pages of a set. */
export function setRoutes(app: ServedApp): readonly Route[] {
  const { log: postingLog } = app.postings;
  const { index, sources } = app;

  return [
    get('/sets/:set/', {
      action: 'read-documents',
      ...pageOperation('setPage', 'A set with its numbers, how it has changed, and its documents'),
      answers: [{ ...htmlPage('The page.'), headers: ['Link'] }],
      async handle(request, response) {
        const set = setOf(response);
        const page = await setFrameOf(app, { request, response }, 'overview');
        const [summary, cursor, changes, days, hours, dump, archive] = await Promise.all([
          index.summary(set.id),
          sources.records.cursorOf(set),
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

    ...browseRoutes(app),

    get('/sets/:set/postings', {
      action: 'read-postings',
      ...pageOperation('postingsPage', 'Who posted what to a set, and what was rejected and why'),
      async handle(request, response) {
        const postings = await postingLog.read(setOf(response).id, MOST_ENTRIES);
        const page = await setFrameOf(app, { request, response }, 'postings');
        sendPage(response, renderPostingsPage({ ...page, postings }));
      },
    }),
  ];
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
