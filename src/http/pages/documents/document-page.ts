import type { ResourceSet } from '../../../core/resource-set.ts';
import { formatBytes } from '../../../lib/format-bytes.ts';
import { DOCUMENTS, type DocumentKind, type DocumentRow, type Relation } from '../../../publish/documents.ts';
import { type Frame, linkTo } from '../parts/frame.ts';
import { type Html, html } from '../parts/html.ts';
import { renderPage } from '../parts/layout.ts';
import { type Paging, pager, queryOf } from '../parts/pager.ts';
import { uriLink } from '../parts/resource-parts.ts';
import { titleOf } from '../parts/set-frame.ts';
import { facts, stackingTable } from '../parts/tables.ts';
import { counted, formatTime } from '../parts/words.ts';
import { documentColumns } from './document-columns.ts';
import type { DocumentSlice } from './document-slice.ts';
import type { SitemapEntry } from './sitemap-reader.ts';

/** Labels of links to other documents. */
const RELATIONS: Readonly<Record<Relation, string>> = {
  up: 'One level up',
  index: 'The whole list',
  alternate: 'By OAI-PMH',
  describedby: 'For people',
  archives: 'Earlier lists',
};

interface DocumentPage {
  readonly frame: Frame;
  /** The set of the document; undefined for the Source Description. */
  readonly set: ResourceSet | undefined;
  readonly kind: DocumentKind;
  readonly slice: DocumentSlice;
  readonly paging: Paging;
  /** Bytes of the document as XML. */
  readonly length: number;
  /** The query in the address of the document. */
  readonly query: Readonly<Record<string, string | undefined>>;
  /** The address where the changes continue that this document had no room for. */
  readonly next: string | undefined;
}

/** A web page for a document of ResourceSync, made from its published bytes. */
export function renderDocumentPage(page: DocumentPage): string {
  const { frame, set, slice, paging, query } = page;
  const { title, purpose, ofIndex = purpose }: DocumentRow['page'] = DOCUMENTS[page.kind].page;
  const raw = queryOf({ ...query, format: 'xml' });
  const main = html`${crumbs(page)}
<h1>${title}</h1>
<p class="lead">${slice.root === 'sitemapindex' ? ofIndex : purpose}</p>
${facts([
  ...timeFacts(slice),
  ['Entries', counted(slice.total, 'entry', 'entries')],
  ...slice.links.map(
    ({ rel = '', href = '' }) => [RELATIONS[rel as Relation] ?? rel, documentLink(rel, href, frame)] as const,
  ),
  ['As XML', html`<a href="${raw}">What programs read</a> <span class="quiet">(${formatBytes(page.length)})</span>`],
])}
<h2>${paging.pages > 1 ? `Entries, page ${paging.page}` : 'Entries'}</h2>
${slice.entries.length === 0 ? html`<p class="quiet">There are none.</p>` : stackingTable('Entries', slice.entries, documentColumns(page))}
${slice.entries.some(hasTime) && html`<p class="more quiet">Times are UTC.</p>`}
${pager(paging, query)}
${page.next !== undefined && html`<p class="more"><a rel="next" href="${linkTo(page.next, frame)}">The changes after these</a></p>`}`;
  return renderPage({
    frame,
    title: set === undefined ? title : `${title} – ${titleOf(set)}`,
    main,
    links: [{ rel: 'alternate', href: raw, type: 'application/xml' }, ...headLinks(slice, frame)],
  });
}

function hasTime({ lastmod, md: { at, from, datetime } }: SitemapEntry): boolean {
  return [lastmod, at, from, datetime].some((time) => time !== undefined);
}

function crumbs({ frame: { top }, set }: DocumentPage): Html {
  const toSet = set !== undefined && html`<li><a href="./">${titleOf(set)}</a></li>`;
  return html`<nav class="crumbs" aria-label="Where this page is"><ol><li><a href="${top}">All sets</a></li>${toSet}</ol></nav>`;
}

function timeFacts({ md: { at, from, until, capability }, root }: DocumentSlice) {
  const isOpen = capability === 'changelist' && root === 'urlset' && until === undefined;
  const shown = (text: string | undefined) => (text === undefined ? undefined : documentTime(text));
  return [
    ['Complete up to', shown(at)],
    ['From', shown(from)],
    ['Until', isOpen ? 'now: changes are still added' : shown(until)],
  ] as const;
}

function documentTime(text: string): Html {
  return html`<time datetime="${text}" title="${text}">${formatTime(Date.parse(text))}</time>`;
}

function documentLink(rel: string, href: string, frame: Frame): Html | string {
  const link = uriLink(href, linkTo(href, frame));
  return typeof link === 'string' ? link : html`<a rel="${rel}" href="${linkTo(href, frame)}">${href}</a>`;
}

function headLinks({ links }: DocumentSlice, frame: Frame) {
  return links.map(({ rel = '', href = '' }) => ({ rel, href: linkTo(href, frame) }));
}
