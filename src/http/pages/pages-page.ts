import { formatBytes } from '../../lib/format-bytes.ts';
import { formatCount } from '../../lib/format-count.ts';
import type { PageInfo } from '../../publish/document-publisher.ts';
import { documentUri } from '../../publish/documents.ts';
import { linkTo } from './parts/frame.ts';
import { type Html, html } from './parts/html.ts';
import { type Paging, pager } from './parts/pager.ts';
import { pathText } from './parts/path-text.ts';
import { nameOf } from './parts/resource-parts.ts';
import { readingNotice, renderSetFrame, type SetFrame } from './parts/set-frame.ts';
import { type Column, stackingTable } from './parts/tables.ts';
import { counted, timeElement } from './parts/words.ts';

interface PagesPage extends SetFrame {
  readonly pages: readonly PageInfo[];
  /** Number of pages of the Resource List. */
  readonly total: number;
  readonly paging: Paging;
  /** The page that was just rendered again, if any. */
  readonly refreshed: string | undefined;
}

/** The documents of a Resource List. */
export function renderPagesPage(page: PagesPage): string {
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
