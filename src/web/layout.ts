import { createHash } from 'node:crypto';
import { Html, html } from './html.ts';
import { STYLE } from './style.ts';

/** What pages may load: their own style sheet and picture, by digest, and nothing else. */
export const CONTENT_SECURITY_POLICY: Record<string, string[]> = {
  defaultSrc: ["'none'"],
  styleSrc: [`'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`],
  imgSrc: ['data:'],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
};

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" aria-hidden="true"><circle cx="16" cy="16" r="15" fill="#0b6477"/><g fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round"><path d="M6 12c3-3 7-3 10 0s7 3 10 0"/><path d="M6 18c3-3 7-3 10 0s7 3 10 0" opacity=".75"/><path d="M6 24c3-3 7-3 10 0s7 3 10 0" opacity=".45"/></g></svg>`;

export interface Page {
  readonly title: string;
  readonly main: Html;
  /** Where the page's Source Description is. */
  readonly sourceDescription: string;
  /** The way from the page to the base URL: the base URL may have a path that only a proxy in front knows of. */
  readonly top: './' | '../../';
  /** Seconds after which a browser should ask again. */
  readonly refresh?: number | undefined;
}

/** A whole page. */
export function renderPage({ title, main, sourceDescription, top, refresh }: Page): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
${refresh !== undefined && html`<meta http-equiv="refresh" content="${refresh}">`}
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON)}">
<style>${new Html(STYLE)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="bar"><div>${new Html(ICON)}<a href="${top}">Tidemark</a><a class="where" href="${sourceDescription}">Source Description</a></div></header>
<main id="content">
${main}
</main>
<footer class="foot">A ResourceSync source, published by Tidemark. <a href="${top}api/sets">The same as JSON</a></footer>
</body>
</html>
`.text;
}
