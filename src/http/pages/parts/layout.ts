import { createHash } from 'node:crypto';
import { documentUri } from '../../../publish/documents.ts';
import { FIRST_FONT_FILE, fontFaces } from './font.ts';
import { type Frame, linkTo, signInLink, topOf } from './frame.ts';
import { Html, html } from './html.ts';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';

/** What pages may load: only their own style sheet, script and picture, identified by digest. */
export const CONTENT_SECURITY_POLICY: Record<string, string[]> = {
  defaultSrc: ["'none'"],
  styleSrc: [digestOf(STYLE)],
  scriptSrc: [digestOf(SCRIPT)],
  // The script reloads its own page.
  connectSrc: ["'self'"],
  imgSrc: ['data:'],
  baseUri: ["'none'"],
  formAction: ["'self'"],
  frameAncestors: ["'none'"],
};

/** Most segments of a path of a page; an error page at a longer path uses a local font. */
const DEEPEST = 8;
const styles = new Map<string, { readonly style: string; readonly policy: string }>();

/** The style sheet of a page. It contains the relative path of the font, and the policy permits it by its digest. */
function styleAt(top: string) {
  const known = styles.get(top);
  if (known !== undefined || top.split('/').length > DEEPEST + 1) return known;
  const style = STYLE + fontFaces(top);
  const directives = { ...CONTENT_SECURITY_POLICY, styleSrc: [digestOf(style)], fontSrc: ["'self'"] };
  const policy = Object.entries(directives)
    .map(([name, values]) => `${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} ${values.join(' ')}`)
    .join(';');
  const made = { style, policy };
  styles.set(top, made);
  return made;
}

/** The Content-Security-Policy of a page. @param path as the server receives it */
export function policyOfPage(path: string): string | undefined {
  return styleAt(topOf(path))?.policy;
}

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" aria-hidden="true"><circle cx="16" cy="16" r="15" fill="#0b5c6e"/><g fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round"><path d="M6 12c3-3 7-3 10 0s7 3 10 0"/><path d="M6 18c3-3 7-3 10 0s7 3 10 0" opacity=".75"/><path d="M6 24c3-3 7-3 10 0s7 3 10 0" opacity=".45"/></g></svg>`;

/** The parts of the source with a link at the top of every page. */
const PARTS = [
  { part: 'sets', name: 'Sets', path: '' },
  { part: 'organizations', name: 'Organizations', path: 'organizations/', forManagers: true },
  { part: 'collections', name: 'Collections', path: 'collections/', forAdministrators: true },
  { part: 'datasets', name: 'Datasets', path: 'datasets/' },
  { part: 'status', name: 'Status', path: 'status' },
  { part: 'jobs', name: 'Jobs', path: 'jobs', forAdministrators: true },
  { part: 'tokens', name: 'Tokens', path: 'tokens', forManagers: true },
  { part: 'subscriptions', name: 'Subscriptions', path: 'subscriptions', forAdministrators: true },
  { part: 'api', name: 'API', path: 'api/' },
] as const;

export interface Page {
  readonly frame: Frame;
  /** Does not contain the program's name. */
  readonly title: string;
  readonly main: Html;
  /** The part of the source that begins with this page. */
  readonly part?: (typeof PARTS)[number]['part'] | undefined;
  /** Related documents, as elements of the page's head. */
  readonly links?: readonly HeadLink[] | undefined;
  /** Seconds after which the page should be reloaded, because it shows work in progress. */
  readonly again?: number | undefined;
  /** The address of a stream of events: at each event, the page should be reloaded. */
  readonly follows?: string | undefined;
}

export interface HeadLink {
  readonly rel: string;
  readonly href: string;
  readonly type?: string;
  readonly title?: string;
}

/** A whole page. */
export function renderPage(page: Page): string {
  const { title, main, links = [], again, follows } = page;
  const hasFont = styleAt(page.frame.top) !== undefined;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title} – Tidemark</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON)}">
${links.map(({ rel, href, type, title: its }) => html`<link rel="${rel}" href="${href}"${type !== undefined && html` type="${type}"`}${its !== undefined && html` title="${its}"`}>\n`)}${
  hasFont &&
  html`<link rel="preload" href="${page.frame.top}fonts/${FIRST_FONT_FILE}" as="font" type="font/woff2" crossorigin>
`
}<style>${new Html(styleAt(page.frame.top)?.style ?? STYLE)}</style>
</head>
<body${again !== undefined && html` data-again="${again}"`}${follows !== undefined && html` data-follows="${follows}"`}>
<a class="skip" href="#content">Skip to the content</a>
${header(page)}
<main id="content">
${main}
</main>
${footer(page.frame)}
<script>${new Html(SCRIPT)}</script>
</body>
</html>
`.text;
}

/** In no page: a template escapes it. */
const REST = '<!-- the rest of the content -->';

/** A whole page whose content follows while it is sent: what is before its end, and what is behind it. */
export function renderPageAround(page: Page): readonly [string, string] {
  const [before = '', after = ''] = renderPage({ ...page, main: html`${page.main}${new Html(REST)}` }).split(REST);
  return [before, after];
}

function header({ frame, part }: Page): Html {
  const { top, viewer } = frame;
  const isShown = (its: (typeof PARTS)[number]) => {
    if (its.part === 'datasets') return viewer.seesDatasets;
    if ('forManagers' in its) return viewer.managesAny;
    return viewer.isAdministrator || !('forAdministrators' in its);
  };
  const shown = PARTS.filter((its) => isShown(its) || its.part === part);
  const items = shown.map(({ part: its, name, path }) => {
    const current = its === part && html` aria-current="page"`;
    return html`<li><a href="${top + path}"${current}>${name}</a></li>`;
  });
  return html`<header class="bar"><div>
<a class="brand" href="${top}">${new Html(ICON)}Tidemark</a>
<nav aria-label="Source"><ul>${items}</ul></nav>
${viewer.name !== undefined && html`<span class="who">Signed in as ${viewer.name}</span>`}
${viewer.hasSession && html`<form method="post" action="${top}sign-out"><button class="link">Sign out</button></form>`}
${viewer.maySignIn && html`<a class="who" href="${signInLink(frame)}">Sign in</a>`}
</div></header>`;
}

function footer(frame: Frame): Html {
  const sourceDescription = documentUri(frame.baseUrl, { kind: 'sourceDescription' });
  return html`<footer class="foot"><div>
<span>A <a href="https://www.openarchives.org/rs/">ResourceSync</a> source, published by Tidemark</span>
<a href="${linkTo(sourceDescription, frame)}">Source Description</a>
<span>Days and times are in UTC</span>
</div></footer>`;
}

function digestOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
