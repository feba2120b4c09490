import type { OpenApiDocument } from '../../openapi/openapi-document.ts';
import type { Frame } from '../parts/frame.ts';
import { type Html, html } from '../parts/html.ts';
import { renderPage } from '../parts/layout.ts';
import { groupsOf } from './api-groups.ts';
import type { ExampleSets } from './curl-example.ts';

/** The common input of the pages of the API. */
export interface ApiPage {
  readonly frame: Frame;
  readonly document: OpenApiDocument;
  readonly sets: ExampleSets;
}

/** The page with the shapes of JSON; groups have pages of their names. */
export const SHAPES = { name: 'shapes', title: 'Shapes of JSON' } as const;

/** A section of a page. */
interface Section {
  readonly id: string;
  readonly title: string;
}

interface Content {
  /** The name of the page below `/api/reference/`; undefined for the overview. */
  readonly name?: string;
  readonly title: string;
  /** What the navigation lists of the page. */
  readonly sections: readonly Section[];
  readonly main: Html;
}

/** A page of the API, with the navigation among all of them beside it. */
export function renderBesideContents({ frame, document }: ApiPage, { name, title, sections, main }: Content): string {
  const top = `${frame.top}api/`;
  const pages = [
    { name: undefined, title: 'Overview' },
    ...groupsOf(document).map((group) => ({ name: group.name, title: group.title })),
    SHAPES,
  ];
  const list = html`<ul>${sections.map((section) => html`<li><a href="#${section.id}">${section.title}</a></li>`)}</ul>`;
  const entries = pages.map((page) => {
    const isCurrent = page.name === name;
    const address = page.name === undefined ? top : `${top}reference/${page.name}`;
    return html`<li><a href="${address}"${isCurrent && html` aria-current="page"`}>${page.title}</a>${isCurrent && sections.length > 0 && list}</li>\n`;
  });
  return renderPage({
    frame,
    title,
    main: html`<div class="beside"><nav class="contents" aria-label="API"><ul>${entries}</ul></nav><div>${main}</div></div>`,
    part: 'api',
    links: [{ rel: 'service-desc', href: `${top}openapi.json`, type: 'application/json' }],
  });
}
