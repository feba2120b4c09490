import { formatCount } from '../../../lib/format-count.ts';
import { type Html, html } from './html.ts';

export interface Paging {
  /** Counted from 1. */
  readonly page: number;
  readonly pages: number;
}

/** The requested page, or the nearest existing one. */
export function pagingOf(asked: number, entries: number, perPage: number): Paging {
  const pages = Math.max(1, Math.ceil(entries / perPage));
  return { page: Math.min(pages, asked), pages };
}

/** Links to the previous and the next page. @param query the other parameters of the address */
export function pager(
  { page, pages }: Paging,
  query: Readonly<Record<string, string | undefined>> = {},
): Html | undefined {
  if (pages <= 1) return undefined;
  const to = (target: number) => queryOf({ ...query, page: target === 1 ? undefined : String(target) });
  return html`<nav class="pager" aria-label="Pages">
${page > 2 && html`<a href="${to(1)}">« First</a>`}
${page > 1 && html`<a rel="prev" href="${to(page - 1)}">← Previous</a>`}
<span class="quiet">Page ${formatCount(page)} of ${formatCount(pages)}</span>
${page < pages && html`<a rel="next" href="${to(page + 1)}">Next →</a>`}
${page < pages - 1 && html`<a href="${to(pages)}">Last »</a>`}
</nav>`;
}

/** A relative link to the same page with another query. */
export function queryOf(fields: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined && value !== '') query.set(name, value);
  return `?${query}`;
}

/** Links from one part of an endless list to its beginning and to the next part. */
export function onward(beginning: Step | undefined, next: Step | undefined): Html | undefined {
  if (beginning === undefined && next === undefined) return undefined;
  return html`<nav class="pager" aria-label="Pages">
${beginning !== undefined && html`<a href="${beginning.href}">« ${beginning.name}</a>`}
${next !== undefined && html`<a rel="next" href="${next.href}">${next.name} →</a>`}
</nav>`;
}

interface Step {
  readonly name: string;
  readonly href: string;
}
