import type { Change } from '../domain/change.ts';
import { pathOfKey, type ResourceKey, uriOf } from '../domain/key.ts';
import { setUris, sourceUris } from '../publisher/document-uris.ts';
import type { PageInfo } from '../publisher/published-document.ts';
import { type Html, html } from './html.ts';
import { renderPage } from './layout.ts';
import { documentsOf, figures, type ShownSet, stateBadge } from './set-parts.ts';
import { formatBytes, formatNumber, timeElement } from './words.ts';

/** So many pages of the Resource List are shown. */
const SHOWN_PAGES = 100;

export interface SetPage extends ShownSet {
  readonly baseUrl: string;
  /** The latest ones, newest first. */
  readonly changes: readonly Change[];
  readonly pages: readonly PageInfo[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** One set: its documents, its latest changes, and the pages of its Resource List. */
export function renderSetPage(page: SetPage): string {
  const { set, baseUrl } = page;
  const title = set.title ?? set.slug;
  const main = html`<p class="crumbs"><a href="../../">All sets</a></p>
<h1>${title} ${stateBadge(set)}</h1>
<p class="quiet">Its resources begin with <code>${set.urlPrefix}</code></p>
${!set.ready && html`<p class="notice" role="status">The first scan is under way. The documents will be here when it is complete.</p>`}
${figures(page, page.now)}
<h2>Documents</h2>
${documentTable(page)}
<h2>Latest changes</h2>
${page.changes.length === 0 ? html`<p class="quiet">Nothing has changed yet.</p>` : changeTable(page)}
${page.pages.length > 0 && html`<h2>Pages of the Resource List</h2>${pageTable(page)}`}`;
  return renderPage({
    title: `${title} – Tidemark`,
    main,
    sourceDescription: sourceUris(baseUrl).sourceDescription,
    top: '../../',
    refresh: set.ready ? undefined : 5,
  });
}

function documentTable({ baseUrl, set }: SetPage): Html {
  const rows = documentsOf(baseUrl, set.slug).map(
    ({ name, uri, purpose }) => html`<tr><td class="short"><a href="${uri}">${name}</a></td><td>${purpose}</td></tr>`,
  );
  return html`<div class="scroll"><table>
<thead><tr><th scope="col">document</th><th scope="col">what it is for</th></tr></thead>
<tbody>${rows}</tbody></table></div>`;
}

function changeTable(page: SetPage): Html {
  const rows = page.changes.map(
    ({ key, kind, stamp, state }) => html`<tr><td class="short">${timeElement(stamp, page.now)}</td>
<td><span class="${kind}">${kind}</span></td><td class="name">${resourceName(page, key, kind !== 'deleted')}</td>
<td class="number">${state?.length !== undefined && formatBytes(state.length)}</td></tr>`,
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Latest changes"><table>
<thead><tr><th scope="col">when</th><th scope="col">change</th><th scope="col">resource</th><th scope="col" class="number">size</th></tr></thead>
<tbody>${rows}</tbody></table></div>`;
}

/** A link to what is there; a URI of another scheme than http is told, and not linked to. */
function resourceName({ set }: SetPage, key: ResourceKey, isThere: boolean): Html | string {
  const name = pathOfKey(key) ?? key;
  const uri = uriOf(set.urlPrefix, key);
  return isThere && /^https?:/.test(uri) ? html`<a href="${uri}">${name}</a>` : name;
}

function pageTable({ set, baseUrl, pages, now }: SetPage): Html {
  const uris = setUris(baseUrl, set.slug);
  const rows = pages.slice(0, SHOWN_PAGES).map(
    ({ name, from, entries, version, length }) => html`<tr>
<td class="short"><a href="${uris.resourcePage(name)}">${name}</a></td>
<td class="name">${from === '' ? 'the beginning' : html`<code>${from}</code>`}</td>
<td class="number">${formatNumber(entries)}</td>
<td class="short">${version === 0 ? '' : timeElement(version, now)}</td>
<td class="number">${length === undefined ? 'not rendered yet' : formatBytes(length)}</td></tr>`,
  );
  const left = pages.length - rows.length;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Pages of the Resource List"><table>
<thead><tr><th scope="col">page</th><th scope="col">from</th><th scope="col" class="number">resources</th><th scope="col">last changed</th><th scope="col" class="number">size</th></tr></thead>
<tbody>${rows}</tbody></table></div>
${left > 0 && html`<p><a href="../../api/sets/${set.slug}/pages">${formatNumber(left)} more, as JSON</a></p>`}`;
}
