import type { Request, Response } from 'express';
import * as z from 'zod';
import { may } from '../access/may.ts';
import { isTidemarkError, TidemarkError } from '../domain/errors.ts';
import type { ResourceSet } from '../domain/resource-set.ts';
import { boundaryBefore, clockStamp } from '../domain/stamp.ts';
import { MICROSECONDS, type TimeUnit } from '../domain/time-unit.ts';
import { keyOf } from '../http/named-resource.ts';
import { page as htmlPage, type Operation } from '../http/operation.ts';
import { get, param, post, type Route, senderOf, setOf } from '../http/route.ts';
import type { ServedApp } from '../http/served-app.ts';
import type { Series } from './activity-plot.ts';
import { renderChangesPage } from './changes-page.ts';
import { renderFindPage } from './find-page.ts';
import { frameOf } from './frame-of.ts';
import { before, pageNumber, searched } from './page-query.ts';
import { pagingOf } from './pager.ts';
import { renderPagesPage } from './pages-page.ts';
import { renderPostingsPage } from './postings-page.ts';
import { renderResourcePage } from './resource-page.ts';
import { sendPage } from './send-page.ts';
import type { SetFrame, Tab } from './set-frame.ts';
import { renderSetPage } from './set-page.ts';

/** What the plots show, with the present day and hour. */
const SHOWN_DAYS = 30;
const SHOWN_HOURS = 48;
const LATEST_CHANGES = 10;
const CHANGES_PER_PAGE = 100;
const HISTORY_PER_PAGE = 100;
const RESOURCES_PER_PAGE = 100;
const LIST_PAGES_PER_PAGE = 50;
const MOST_POSTINGS = 200;

const SET = describe('setPage', 'A set with its numbers, how it has changed, and its documents');
const CHANGES = { ...describe('changesPage', 'The changes of a set, newest first'), query: z.object({ before }) };
const FIND = {
  ...describe('findPage', 'The resources of a set, or those with some text in their name'),
  query: z.object({ q: searched, after: z.string().optional() }),
};
const RESOURCE = {
  ...describe('resourcePage', 'A resource with its state and its history'),
  query: z.object({ key: z.string().optional(), uri: z.string().optional(), before }),
};
const PAGES = {
  ...describe('pagesPage', 'The pages of the Resource List'),
  query: z.object({ page: pageNumber, refreshed: z.string().optional() }),
};
const POSTINGS = describe('postingsPage', 'Who posted what to a set, and what was rejected and why');
const TO_SET = {
  id: 'toSetPage',
  tag: 'pages',
  summary: 'The page of a set has a slash at its end',
  answers: [{ status: 308, description: 'The page is there.', headers: ['Location'] }],
} satisfies Operation;
const REFRESH = {
  id: 'refreshPageByForm',
  tag: 'pages',
  summary: 'Renders a page of the Resource List anew, and leads back to the pages',
  query: z.object({ page: pageNumber }),
  answers: [{ status: 303, description: 'It was rendered.', headers: ['Location'] }],
} satisfies Operation;

/** The pages of a set. */
export function setRoutes(app: ServedApp): readonly Route[] {
  const { index, publisher, journal } = app;

  async function setFrame(request: Request, response: Response, tab: Tab | undefined): Promise<SetFrame> {
    const set = setOf(response);
    const seesPostings = may(senderOf(response), 'read-journal', set);
    return { frame: await frameOf(app, request, response), set, tab, seesPostings };
  }

  return [
    get('/sets/:set/', {
      action: 'read-documents',
      operation: SET,
      async handle(request, response) {
        const set = setOf(response);
        const page = await setFrame(request, response, 'overview');
        const [summary, changes, days, hours] = await Promise.all([
          index.summary(set.id),
          index.latest(set.id, { limit: LATEST_CHANGES }),
          seriesOf(app, set, { unit: 'day', shown: SHOWN_DAYS }),
          seriesOf(app, set, { unit: 'hour', shown: SHOWN_HOURS }),
        ]);
        sendPage(response, renderSetPage({ ...page, summary, changes, days, hours }));
      },
    }),

    get('/sets/:set', {
      action: 'read-documents',
      operation: TO_SET,
      // Relative links of the page need the slash; so is this one relative.
      handle: (_request, response) => response.redirect(308, `${setOf(response).slug}/`),
    }),

    get('/sets/:set/changes', {
      action: 'read-state',
      operation: CHANGES,
      async handle(request, response, { before }) {
        const { id } = setOf(response);
        const { shown, older } = pageBack(
          await index.latest(id, { before, limit: CHANGES_PER_PAGE + 1 }),
          CHANGES_PER_PAGE,
        );
        const page = await setFrame(request, response, 'changes');
        sendPage(response, renderChangesPage({ ...page, changes: shown, older, isLatest: before === undefined }));
      },
    }),

    get('/sets/:set/find', {
      action: 'read-state',
      operation: FIND,
      async handle(request, response, { q, after }) {
        const { id } = setOf(response);
        const { resources, next } = await index.find(id, { part: q, after, limit: RESOURCES_PER_PAGE });
        const page = await setFrame(request, response, 'resources');
        sendPage(response, renderFindPage({ ...page, q, after, resources, next }));
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
        const history = await index.history(set.id, key, { before, limit: HISTORY_PER_PAGE + 1 });
        const { shown, older } = pageBack(history, HISTORY_PER_PAGE);
        const page = await setFrame(request, response, undefined);
        const isLatest = before === undefined;
        sendPage(response, renderResourcePage({ ...page, resource, history: shown, older, isLatest }));
      },
    }),

    get('/sets/:set/pages', {
      action: 'read-state',
      operation: PAGES,
      async handle(request, response, { page: asked, refreshed }) {
        const { pages, total, paging } = await listPages(app, setOf(response), asked);
        const page = await setFrame(request, response, 'pages');
        const known = pages.find(({ name }) => name === refreshed)?.name;
        sendPage(response, renderPagesPage({ ...page, pages, total, paging, refreshed: known }));
      },
    }),

    get('/sets/:set/postings', {
      action: 'read-journal',
      operation: POSTINGS,
      async handle(request, response) {
        const postings = await journal.read(setOf(response).id, MOST_POSTINGS);
        const page = await setFrame(request, response, 'postings');
        sendPage(response, renderPostingsPage({ ...page, postings }));
      },
    }),

    post('/sets/:set/pages/:name/refresh', {
      action: 'administer',
      operation: REFRESH,
      async handle(request, response, { page }) {
        const { name } = await publisher.refreshPage(setOf(response).slug, param(request, 'name'));
        response.redirect(303, `../../pages?${new URLSearchParams({ page: String(page), refreshed: name })}`);
      },
    }),
  ];
}

function describe(id: string, summary: string) {
  return { id, tag: 'pages', summary, answers: [htmlPage('The page.')] } as const satisfies Operation;
}

/** What is shown of changes that were read with one more, and the boundary below them when there is more. */
function pageBack<Entry extends { readonly stamp: number }>(entries: readonly Entry[], most: number) {
  const shown = entries.slice(0, most);
  return { shown, older: entries.length > most ? boundaryBefore(shown.at(-1)!.stamp) : undefined };
}

/** How many changes there were in each of the last days or hours. */
async function seriesOf(
  { activity }: ServedApp,
  { id }: ResourceSet,
  { unit, shown }: { readonly unit: TimeUnit; readonly shown: number },
): Promise<Series> {
  const until = clockStamp();
  return { unit, counts: await activity.of(id, { from: until - (shown - 1) * MICROSECONDS[unit], until, unit }) };
}

/** The pages of a Resource List that a page shows; none while the set is being read. */
async function listPages({ publisher }: ServedApp, { slug }: ResourceSet, asked: number) {
  const most = LIST_PAGES_PER_PAGE;
  try {
    const { pages, total } = await publisher.pagesFrom(slug, { start: (asked - 1) * most, most });
    const paging = pagingOf(asked, total, most);
    if (paging.page === asked) return { pages, total, paging };
    const last = await publisher.pagesFrom(slug, { start: (paging.page - 1) * most, most });
    return { ...last, paging };
  } catch (error) {
    if (!isTidemarkError(error, 'not-ready')) throw error;
    return { pages: [], total: 0, paging: pagingOf(1, 0, most) };
  }
}
