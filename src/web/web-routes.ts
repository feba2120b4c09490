import type { Response } from 'express';
import * as z from 'zod';
import type { Change } from '../domain/change.ts';
import { isTidemarkError } from '../domain/errors.ts';
import type { ResourceSet } from '../domain/resource-set.ts';
import { page as htmlPage, type Operation } from '../http/operation.ts';
import { get, type Route, setOf } from '../http/route.ts';
import type { ServedApp } from '../http/served-app.ts';
import { take } from '../http/take.ts';
import type { PageInfo } from '../publisher/published-document.ts';
import { summarize } from '../sets/summarized-sets.ts';
import { renderHomePage } from './home-page.ts';
import { renderSetPage } from './set-page.ts';

const SETS_PER_PAGE = 100;
const LATEST_CHANGES = 50;

const HOME = {
  id: 'homePage',
  tag: 'pages',
  summary: 'The source and its sets',
  query: z.object({ page: z.preprocess(pageNumber, z.int()).default(1) }),
  answers: [htmlPage('The page.')],
} satisfies Operation;

const SET = {
  id: 'setPage',
  tag: 'pages',
  summary: 'A set with its numbers, documents, pages and latest changes',
  answers: [htmlPage('The page.')],
} satisfies Operation;

const TO_SET = {
  id: 'toSetPage',
  tag: 'pages',
  summary: 'The page of a set has a slash at its end',
  answers: [{ status: 308, description: 'The page is there.', headers: ['Location'] }],
} satisfies Operation;

/** Pages for people. */
export function webRoutes(app: ServedApp): readonly Route[] {
  const { index, sets, configuration } = app;
  const { baseUrl } = configuration;

  return [
    get('/', {
      action: 'read-source',
      operation: HOME,
      async handle(_request, response, query) {
        const all = await sets.list();
        const pages = Math.max(1, Math.ceil(all.length / SETS_PER_PAGE));
        const page = Math.min(pages, query.page);
        const onPage = all.slice((page - 1) * SETS_PER_PAGE, page * SETS_PER_PAGE);
        const shown = await summarize(index, onPage);
        sendHtml(response, renderHomePage({ baseUrl, shown, total: all.length, page, pages, now: Date.now() }));
      },
    }),

    get('/sets/:set/', {
      action: 'read-documents',
      operation: SET,
      async handle(_request, response) {
        const set = setOf(response);
        const [summary, changes, pages] = await Promise.all([
          index.summary(set.id),
          latest(app, set),
          pagesOf(app, set),
        ]);
        sendHtml(response, renderSetPage({ set, summary, baseUrl, changes, pages, now: Date.now() }));
      },
    }),

    get('/sets/:set', {
      action: 'read-documents',
      operation: TO_SET,
      // Relative links of the page need the slash; so is this one relative.
      handle: (_request, response) => response.redirect(308, `${setOf(response).slug}/`),
    }),
  ];
}

/** The number of a page, counted from 1; a link that has another shows the first one. */
function pageNumber(text: unknown): unknown {
  return Math.min(Math.max(1, Math.floor(Number(text))) || 1, Number.MAX_SAFE_INTEGER);
}

async function latest({ index }: ServedApp, set: ResourceSet): Promise<readonly Change[]> {
  const until = await index.watermark();
  const limits = { entries: LATEST_CHANGES, weight: Number.MAX_SAFE_INTEGER };
  const after = Math.max(await index.newest(set.id, until, limits), set.epochStart);
  return (await take(index.changes(set.id, { after, until }), LATEST_CHANGES)).toReversed();
}

async function pagesOf({ publisher }: ServedApp, { slug }: ResourceSet): Promise<readonly PageInfo[]> {
  try {
    return await publisher.pages(slug);
  } catch (error) {
    if (isTidemarkError(error, 'not-ready')) return [];
    throw error;
  }
}

function sendHtml(response: Response, page: string): void {
  response.set({ 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-cache' }).send(page);
}
