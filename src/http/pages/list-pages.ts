import * as z from 'zod';
import { isTidemarkError } from '../../core/errors.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { formatBytes } from '../../lib/format-bytes.ts';
import { formatCount } from '../../lib/format-count.ts';
import type { PageInfo } from '../../publish/document-publisher.ts';
import { documentUri } from '../../publish/documents.ts';
import { param, setOf } from '../request/admitted.ts';
import { pageOperation } from '../request/operation.ts';
import { get, post, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { linkTo } from './parts/frame.ts';
import { type Html, html } from './parts/html.ts';
import { pageNumber } from './parts/page-query.ts';
import { type Paging, pager, pagingOf } from './parts/pager.ts';
import { pathText } from './parts/path-text.ts';
import { nameOf } from './parts/resource-parts.ts';
import { sendPage } from './parts/send-page.ts';
import { readingNotice, renderSetFrame, type SetFrame, setFrameOf } from './parts/set-frame.ts';
import { type Column, stackingTable } from './parts/tables.ts';
import { counted, timeElement } from './parts/words.ts';

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

interface PagesPage extends SetFrame {
  readonly pages: readonly PageInfo[];
  /** Number of pages of the Resource List. */
  readonly total: number;
  readonly paging: Paging;
  /** The page that was just rendered again, if any. */
  readonly refreshed: string | undefined;
}

/** The documents of a Resource List. */
function renderPagesPage(page: PagesPage): string {
  const { set, pages, total, refreshed, paging } = page;
  const main = html`${readingNotice(set)}
${refreshed !== undefined && html`<p class="notice good" role="status">The page ${refreshed} was rendered anew.</p>`}
<p class="lead">The Resource List has ${counted(total, 'page')} of up to ${formatCount(set.pageEntries)} resources each. A change renders one page anew; all others
keep their bytes.</p>
${pages.length > 0 && stackingTable('Pages of the Resource List', pages, columns(page))}
${pager(paging)}`;
  return renderSetFrame(page, main);
}

function columns(page: PagesPage): readonly Column<PageInfo>[] {
  const { frame, set } = page;
  const uriOf = (name: string) => documentUri(frame.baseUrl, { kind: 'resourceListPage', set: set.slug, name });
  const all: readonly (Column<PageInfo> | false)[] = [
    {
      name: 'Page',
      style: 'short',
      isHead: true,
      cell: ({ name }) => html`<a href="${linkTo(uriOf(name), frame)}">${name}</a>`,
    },
    { name: 'From', style: 'name', cell: ({ from }) => (from === '' ? 'the beginning' : pathText(nameOf(from))) },
    { name: 'Resources', style: 'number', cell: ({ entries }) => formatCount(entries) },
    {
      name: 'Last changed',
      style: 'short',
      cell: ({ version }) => (version === 0 ? '' : timeElement(version, frame.now)),
    },
    {
      name: 'Version',
      style: 'short',
      cell: ({ digest }) => digest !== undefined && html`<code title="${digest}">${digest.slice(0, 12)}</code>`,
    },
    { name: 'Size', style: 'number', cell: ({ length }) => (length === undefined ? '' : formatBytes(length)) },
    {
      name: 'Rendered',
      style: 'short',
      cell: ({ rendered }) => (rendered === undefined ? 'when asked for' : timeElement(rendered * 1000, frame.now)),
    },
    frame.viewer.isAdministrator && { name: 'Refresh', style: 'short', cell: ({ name }) => refreshForm(name, page) },
  ];
  return all.filter((column) => column !== false);
}

function refreshForm(name: string, { paging }: PagesPage): Html {
  return html`<form method="post" action="./pages/${name}/refresh?page=${paging.page}"><button class="small">Refresh<span class="hidden"> page ${name}</span></button></form>`;
}
