import { CHANGE_KINDS } from '../../../core/change.ts';
import type { ResourceSet } from '../../../core/resource-set.ts';
import { CAPABILITY_LABELS, DOCUMENTS, type DocumentKind } from '../../../publish/documents.ts';
import { type Frame, linkTo } from '../parts/frame.ts';
import { type Html, html } from '../parts/html.ts';
import { kindMark, lengthOf, uriLink } from '../parts/resource-parts.ts';
import type { Column } from '../parts/tables.ts';
import { formatTime } from '../parts/words.ts';
import type { Sitemap, SitemapEntry } from './sitemap-reader.ts';

type EntryColumn = Column<SitemapEntry>;

/** Number of digits of a hash that distinguish it from others. */
const SHOWN_DIGITS = 12;

interface Shown {
  readonly kind: DocumentKind;
  readonly slice: Sitemap;
  readonly frame: Frame;
  readonly set: ResourceSet | undefined;
}

/** The columns for entries, by the kind of the document. */
export function documentColumns({ kind, slice: { root, entries }, frame, set }: Shown): readonly EntryColumn[] {
  switch (root === 'sitemapindex' ? 'documents' : DOCUMENTS[kind].entries) {
    case 'documents':
      return [document(frame), ...PARTS.filter(({ has }) => entries.some(({ md }) => has(md)))];
    case 'changes':
      return [
        { name: 'When', style: 'short', cell: (entry) => timeCell(entry.md.datetime) },
        { name: 'Change', style: 'short', cell: (entry) => changeCell(entry.md.change) },
        resource(frame, set),
        ...REPRESENTATION,
      ];
    case 'resources':
      return [resource(frame, set), ...REPRESENTATION];
  }
}

/** Another document of this source. */
function document(frame: Frame): EntryColumn {
  return { name: 'Document', style: 'name', isHead: true, cell: ({ loc }) => uriLink(loc, linkTo(loc, frame)) };
}

/** A column for a resource: the common part of all URIs is shown in quiet colours. */
function resource(frame: Frame, set: ResourceSet | undefined): EntryColumn {
  return {
    name: 'Resource',
    style: 'name',
    isHead: true,
    cell: (entry) =>
      html`${resourceUri(entry, frame, set)}${about(entry)}${entry.links.map((link) => relation(link, frame))}`,
  };
}

function resourceUri({ loc, md }: SitemapEntry, frame: Frame, set: ResourceSet | undefined): Html | string {
  const prefix = set !== undefined && loc.startsWith(set.urlPrefix) ? set.urlPrefix : '';
  const shown = html`${prefix !== '' && html`<span class="quiet">${prefix}</span>`}${loc.slice(prefix.length)}`;
  if (md.change === 'deleted' || !/^https?:/.test(loc)) return shown;
  return html`<a href="${linkTo(loc, frame)}">${shown}</a>`;
}

function relation({ rel = '', href = '' }: Readonly<Record<string, string>>, frame: Frame): Html {
  return html`<span class="more-of">${rel}: ${uriLink(href, linkTo(href, frame))}</span>`;
}

/** The media type, and a link to the history. */
function about({ loc, md }: SitemapEntry): Html {
  const history = html`<a class="about" href="./resource?uri=${encodeURIComponent(loc)}">history</a>`;
  return html`<span class="more-of">${md.type} ${md.hash !== undefined && hashCell(md.hash)} ${history}</span>`;
}

const REPRESENTATION: readonly EntryColumn[] = [
  { name: 'Last modified', style: 'short', cell: ({ lastmod }) => timeCell(lastmod) },
  {
    name: 'Size',
    style: 'number',
    cell: ({ md }) => lengthOf(md.length === undefined ? undefined : Number(md.length)),
  },
];

/** Columns for documents that contain them: lists of resources have one time, lists of changes two. */
const PARTS: readonly (EntryColumn & { readonly has: (md: SitemapEntry['md']) => boolean })[] = [
  {
    name: 'What it is',
    style: 'short',
    has: ({ capability }) => capability !== undefined,
    cell: ({ md }) => capabilityName(md.capability),
  },
  { name: 'Complete up to', style: 'short', has: ({ at }) => at !== undefined, cell: ({ md }) => timeCell(md.at) },
  { name: 'From', style: 'short', has: ({ from }) => from !== undefined, cell: ({ md }) => timeCell(md.from) },
  {
    name: 'Until',
    style: 'short',
    has: ({ from }) => from !== undefined,
    cell: ({ md }) => (md.until === undefined && md.from !== undefined ? 'now' : timeCell(md.until)),
  },
];

function capabilityName(capability = ''): string {
  return CAPABILITY_LABELS[capability] ?? capability;
}

function changeCell(change = ''): Html | string {
  const kind = CHANGE_KINDS.find((one) => one === change);
  return kind === undefined ? change : kindMark(kind);
}

function timeCell(text: string | undefined): Html | undefined {
  if (text === undefined) return undefined;
  return html`<time datetime="${text}" title="${text}">${formatTime(Date.parse(text)).replace(' UTC', '')}</time>`;
}

/** The first of several hashes, shortened: the XML contains the full one. */
function hashCell(hashes: string): Html {
  const [algorithm = '', digest = ''] = hashes.split(' ')[0]!.split(':');
  return html`<code title="${hashes}">${algorithm}:${digest.slice(0, SHOWN_DIGITS)}…</code>`;
}
