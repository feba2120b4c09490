import type { DatasetFileView, DatasetRequestView } from '../../../api/dataset-view.ts';
import type { ResourceKey } from '../../../core/key.ts';
import { formatCount } from '../../../lib/format-count.ts';
import type { Frame } from '../parts/frame.ts';
import { type Html, html } from '../parts/html.ts';
import { jobLink } from '../parts/job-parts.ts';
import { renderPage } from '../parts/layout.ts';
import { type Paging, pager } from '../parts/pager.ts';
import { plainName, uriLink } from '../parts/resource-parts.ts';
import { facts, stackingTable } from '../parts/tables.ts';
import { counted, sentence, timeOf } from '../parts/words.ts';
import { AGAIN, fileState, isOpen, rankOf, requestName, requestState, sizeOf } from './dataset-parts.ts';

/** A file with its resource in the set, where it has one. */
export interface ShownFile {
  readonly file: DatasetFileView;
  readonly key?: ResourceKey | undefined;
}

export interface DatasetPage {
  readonly frame: Frame;
  readonly view: DatasetRequestView;
  /** Those of this page; those that failed come first. */
  readonly files: readonly ShownFile[];
  readonly bundle: ShownFile | undefined;
  readonly paging: Paging;
  /** Of all files of the manifest. */
  readonly counts: { readonly files: number; readonly failed: number };
  /** The resource `manifest.json`; undefined before the dataset is stored. */
  readonly manifestKey: ResourceKey | undefined;
  readonly persistentId: string | undefined;
  readonly notes: readonly string[];
  /** Whether the reader may queue it again. */
  readonly mayRetry: boolean;
  readonly did?: 'add' | 'retry' | undefined;
}

/** A request of a dataset: its result, what to do, and the files. */
export function renderDatasetPage(page: DatasetPage): string {
  const { frame, view } = page;
  const name = requestName(view);
  const main = html`<nav class="crumbs" aria-label="Where this page is"><ol><li><a href="${frame.top}datasets/">Datasets</a></li></ol></nav>
<h1>${name} ${requestState(view)}</h1>
${notices(page)}
${resultFacts(page)}
${page.mayRetry && html`<div class="buttons"><form method="post" action="./retry"><button>${view.result?.hit ? 'Ingest it again' : 'Try again'}</button></form></div>`}
${filesSection(page)}`;
  return renderPage({ frame, title: name, main, part: 'datasets', again: isOpen(view) ? AGAIN : undefined });
}

const DID = { add: 'It is requested.', retry: 'It is requested again.' } as const;

function notices({ view, did, frame, files }: DatasetPage): Html {
  const { state, result } = view;
  const before = result === undefined ? '' : ` The result below is that of an earlier request, ${result.status}.`;
  const waits = `${did === undefined ? '' : `${DID[did]} `}It waits for a process that does its job.${before}`;
  const runs = `It is being fetched.${before}`;
  return html`${state === 'waiting' && html`<div class="notice" role="status"><p>${waits}${frame.viewer.isAdministrator && html` <code>tidemark serve</code> and <code>tidemark work</code> are such processes.`}</p></div>`}
${state === 'running' && html`<div class="notice" role="status"><p>${runs}</p></div>`}
${result?.message !== undefined && html`<div class="notice ${result.hit ? '' : 'bad'}" role="status"><p>${messageText(result.message, files)}</p></div>`}`;
}

/** The message as a sentence. It may begin with the name of a file, which is kept as it is. */
function messageText(message: string, files: readonly ShownFile[]): string {
  const isOfFile = files.some(({ file }) => message.startsWith(`${file.path} `));
  const text = message.replace(/\.$/, '');
  return isOfFile ? `${text}.` : sentence(text);
}

function resultFacts({ view, frame, persistentId, manifestKey }: DatasetPage): Html {
  const { request, set, result, requested, job, options } = view;
  const chosen = Object.entries(options ?? {}).filter(([, value]) => value);
  const setHome = `${frame.top}sets/${set}/`;
  const platform = result?.platform;
  return facts([
    ['URL', uriLink(request.base_url)],
    [
      'Led to',
      result?.terminal_url === request.base_url ? undefined : result?.terminal_url && uriLink(result.terminal_url),
    ],
    ['Persistent identifier', persistentId === undefined ? undefined : uriLink(persistentId)],
    ['Platform', platform && `${platform}, ${result.platform_domain}`],
    ['Id there', result?.platform_id],
    ['Version', result?.version],
    ['Strategy', result?.ingest_strategy],
    ['Files', result?.file_count === undefined ? undefined : formatCount(result.file_count)],
    ['Size', sizeOf(result?.total_size)],
    ['Item', result?.item_name],
    [
      result?.hit ? 'Published in' : 'Set',
      html`<a href="${setHome}">${set}</a>${manifestKey !== undefined && html`, with a <a href="${resourceHref(setHome, manifestKey)}">manifest</a>`}`,
    ],
    [
      'Options',
      chosen.length === 0 ? undefined : chosen.map(([name]) => OPTIONS[name as keyof typeof OPTIONS]).join(', '),
    ],
    ['Source', request.link_source && `${request.link_source} ${request.link_source_id ?? ''}`],
    ['Requested', timeOf(requested, frame.now)],
    ['Last result', timeOf(result?.updated, frame.now)],
    ['Job', job === undefined || !frame.viewer.isAdministrator ? undefined : jobLink({ name: job }, frame.top)],
    ['For programs', html`<a href="${frame.top}api/datasets/${view.id}">as JSON</a>`],
  ]);
}

const OPTIONS = {
  bundle: 'the bundle, where there is one',
  followLatest: 'the latest version',
  acceptMismatch: 'files that differ are accepted',
} as const;

function filesSection(page: DatasetPage): Html | undefined {
  const { view, files, bundle, notes, paging, counts, frame } = page;
  if (counts.files === 0) return undefined;
  const all = `${frame.top}api/datasets/${view.id}/files`;
  const failed =
    counts.failed === 0 ? '' : ` ${counted(counts.failed, 'file')} failed, and so the dataset is not stored.`;
  return html`${bundle !== undefined && html`<h2>Bundle</h2>\n${fileTable('Bundle', [bundle], page)}`}
<h2 id="files">Files</h2>
<p class="quiet">${counted(counts.files, 'file')}${bundle !== undefined && ' in the bundle, which alone is stored'}.${failed} All: <a href="${all}">as JSON</a>.</p>
${notes.map((note) => html`<p>${sentence(note)}</p>\n`)}${fileTable('Files', files, page)}
${pager(paging)}`;
}

function fileTable(label: string, files: readonly ShownFile[], { view, frame }: DatasetPage): Html {
  const setHome = `${frame.top}sets/${view.set}/`;
  return stackingTable(label, files, [
    {
      name: label === 'Bundle' ? 'Bundle' : 'File',
      style: 'name title',
      isHead: true,
      cell: (shown) => fileCell(shown, setHome),
    },
    { name: 'Status', style: 'short', cell: ({ file }) => fileState(file.status) },
    { name: 'Size', style: 'number', cell: ({ file }) => sizeOf(file.size) },
    { name: 'Type', style: 'short wide', cell: ({ file }) => file.mimetype },
    {
      name: 'From',
      style: 'short',
      cell: ({ file }) =>
        file.platform_url &&
        html`<a href="${file.platform_url}">platform<span class="hidden">: ${file.path}</span></a>`,
    },
  ]);
}

function fileCell({ file, key }: ShownFile, setHome: string): Html {
  const { path, message, md5, sha1, sha256 } = file;
  const name = plainName(path);
  const hashes = Object.entries({ md5, sha1, sha256 }).filter(([, digest]) => digest !== undefined);
  const original = file.extra?.path;
  return html`${key === undefined ? name : html`<a href="${resourceHref(setHome, key)}">${name}</a>`}${message !== undefined && html`<span class="more-of">${message}</span>`}${typeof original === 'string' && html`<span class="more-of">at the platform: ${plainName(original)}</span>`}${hashes.length > 0 && html`<details><summary>Hashes<span class="hidden"> of ${name}</span></summary>${hashes.map(([algorithm, digest]) => html`<span class="more-of">${algorithm} <code>${digest}</code></span>`)}</details>`}`;
}

function resourceHref(setHome: string, key: ResourceKey): string {
  return `${setHome}resource?key=${encodeURIComponent(key)}`;
}

/** Those that failed first, then stored ones, then those that were not tried; each in the order of the manifest. */
export function failedFirst(files: readonly ShownFile[]): readonly ShownFile[] {
  return files.toSorted((one, other) => rankOf(one.file.status) - rankOf(other.file.status));
}
