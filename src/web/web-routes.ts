import type { Request, Response } from 'express';
import type { Change } from '../domain/change.ts';
import { isTidemarkError } from '../domain/errors.ts';
import type { ResourceSet } from '../domain/resource-set.ts';
import { textOf } from '../http/query.ts';
import { setOf } from '../http/route.ts';
import type { ServedApp } from '../http/served-app.ts';
import { take } from '../http/take.ts';
import type { PageInfo } from '../publisher/published-document.ts';
import { summarize } from '../sets/summarized-sets.ts';
import { renderHomePage } from './home-page.ts';
import { renderSetPage } from './set-page.ts';

const SETS_PER_PAGE = 100;
const LATEST_CHANGES = 50;

/** Pages for people. */
export function webHandlers(app: ServedApp) {
  const { index, sets, configuration } = app;
  const { baseUrl } = configuration;

  return {
    async home(request: Request, response: Response): Promise<void> {
      const all = await sets.list();
      const pages = Math.max(1, Math.ceil(all.length / SETS_PER_PAGE));
      const page = Math.min(pages, Math.max(1, Math.floor(Number(textOf(request, 'page'))) || 1));
      const onPage = all.slice((page - 1) * SETS_PER_PAGE, page * SETS_PER_PAGE);
      const shown = await summarize(index, onPage);
      sendHtml(response, renderHomePage({ baseUrl, shown, total: all.length, page, pages, now: Date.now() }));
    },

    async set(_request: Request, response: Response): Promise<void> {
      const set = setOf(response);
      const [summary, changes, pages] = await Promise.all([index.summary(set.id), latest(app, set), pagesOf(app, set)]);
      sendHtml(response, renderSetPage({ set, summary, baseUrl, changes, pages, now: Date.now() }));
    },

    /** Relative links of the page need the slash; so is this one relative. */
    toSet(_request: Request, response: Response): void {
      response.redirect(308, `${setOf(response).slug}/`);
    },
  };
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
