import * as z from 'zod';
import { isTidemarkError } from '../../core/errors.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { param, setOf } from '../request/admitted.ts';
import { pageOperation } from '../request/operation.ts';
import { get, post, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { renderPagesPage } from './pages-page.ts';
import { pageNumber } from './parts/page-query.ts';
import { pagingOf } from './parts/pager.ts';
import { sendPage } from './parts/send-page.ts';
import { setFrameOf } from './parts/set-frame-of.ts';

const LIST_PAGES_PER_PAGE = 50;

/** The pages of a Resource List, and the button that renders one of them again. */
export function listPageRoutes(app: ServedApp): readonly Route[] {
  const { publisher } = app.publishing;
  return [
    get('/sets/:set/pages', {
      action: 'read-state',
      ...pageOperation('pagesPage', 'The pages of the Resource List'),
      query: z.object({ page: pageNumber, refreshed: z.string().optional() }),
      async handle(request, response, { page: asked, refreshed }) {
        const { pages, total, paging } = await listPages(app, setOf(response), asked);
        const page = await setFrameOf(app, { request, response }, 'pages');
        const known = pages.find(({ name }) => name === refreshed)?.name;
        sendPage(response, renderPagesPage({ ...page, pages, total, paging, refreshed: known }));
      },
    }),

    post('/sets/:set/pages/:name/refresh', {
      action: 'administer',
      id: 'refreshPageByForm',
      tag: 'pages',
      summary: 'Renders a page of the Resource List anew, and leads back to the pages',
      query: z.object({ page: pageNumber }),
      answers: [{ status: 303, description: 'It was rendered.', headers: ['Location'] }],
      async handle(request, response, { page }) {
        const { name } = await publisher.refreshPage(setOf(response).slug, param(request, 'name'));
        response.redirect(303, `../../pages?${new URLSearchParams({ page: String(page), refreshed: name })}`);
      },
    }),
  ];
}

/** The pages of a Resource List for a web page; none while the set is being read. */
async function listPages({ publishing: { publisher } }: ServedApp, { slug }: ResourceSet, asked: number) {
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
