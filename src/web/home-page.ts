import { sourceUris } from '../publisher/document-uris.ts';
import { type Html, html } from './html.ts';
import { renderPage } from './layout.ts';
import { documentsOf, figures, type ShownSet, stateBadge } from './set-parts.ts';
import { counted } from './words.ts';

export interface HomePage {
  readonly baseUrl: string;
  /** The sets of this page, and how many there are in all. */
  readonly shown: readonly ShownSet[];
  readonly total: number;
  /** Counted from 1. */
  readonly page: number;
  readonly pages: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The source and its sets. */
export function renderHomePage(home: HomePage): string {
  const { sourceDescription } = sourceUris(home.baseUrl);
  const isScanning = home.shown.some(({ set }) => !set.ready);
  const main = html`<h1>Resource sets</h1>
<p class="lead">${counted(home.total, 'set')} to mirror and stay in step with, by any client of
<a href="https://www.openarchives.org/rs/">ResourceSync</a>. Give it the
<a href="${sourceDescription}">Source Description</a>, or a set’s Capability List.</p>
${home.total === 0 ? nothingYet() : html`<ul class="sets">${home.shown.map((shown) => card(shown, home))}</ul>`}
${pager(home)}`;
  return renderPage({ title: 'Tidemark', main, sourceDescription, top: './', refresh: isScanning ? 5 : undefined });
}

function card(shown: ShownSet, { baseUrl, now }: HomePage): Html {
  const { set } = shown;
  const { slug, title, ready } = set;
  const documents = documentsOf(baseUrl, slug);
  return html`<li class="card">
<h2><a href="sets/${slug}/">${title ?? slug}</a> ${title !== undefined && html`<span class="id">${slug}</span>`} ${stateBadge(set)}</h2>
${figures(shown, now)}
${ready ? html`<ul class="links">${documents.map(({ name, uri }) => html`<li><a href="${uri}">${name}</a></li>`)}</ul>` : html`<span class="quiet">Its documents will be here when the first scan is complete.</span>`}
</li>`;
}

function nothingYet(): Html {
  return html`<p class="notice">There is no set yet. Publish a folder with <code>tidemark publish FOLDER</code>, or make a
set that changes are posted to with <code>tidemark sets add ID --url-prefix URL</code>.</p>`;
}

function pager({ page, pages }: HomePage): Html | undefined {
  if (pages <= 1) return undefined;
  return html`<nav class="pager" aria-label="Pages">
${page > 1 && html`<a rel="prev" href="?page=${page - 1}">← Previous</a>`}
<span class="quiet">Page ${page} of ${pages}</span>
${page < pages && html`<a rel="next" href="?page=${page + 1}">Next →</a>`}
</nav>`;
}
