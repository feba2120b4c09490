import { nameInReference, type OpenApiDocument } from '../../openapi/openapi-document.ts';
import type { Frame } from '../parts/frame.ts';
import { type Html, html } from '../parts/html.ts';
import { renderPage } from '../parts/layout.ts';
import { table } from '../parts/tables.ts';
import { renderOperation } from './api-operation.ts';
import { renderSchema, withCode } from './api-schema.ts';
import type { CalledOperation, ExampleSets } from './curl-example.ts';

/**
 * The description of the API as a web page: the contents of /api/openapi.json, without the pages. Operations and shapes
 * have pages of their own, to which this one leads; their ids are here, too, since links of older versions name them.
 */
export function renderApiPage(page: ApiPage): string {
  const { document, sets } = page;
  const { info, components } = document;
  const shapes = Object.keys(components.schemas);
  const main = html`<h1>API</h1>
${info.description.split('\n\n').map((paragraph) => html`<p>${withCode(paragraph)}</p>`)}
<p>All of this as OpenAPI 3.1, for programs: <a href="openapi.json">openapi.json</a></p>
<h2 id="beginning">How to begin</h2>
${beginning(document, sets)}
<h2 id="errors">Errors</h2>
<p>Every error is <a href="reference/shapes#Error">one shape of JSON</a>. Its <code>code</code> stays the same where the words of its message may change.</p>
${errors(document)}
${groupsOf(document).map(groupSection)}
<h2 id="shapes"><a href="reference/shapes">${SHAPES.title}</a></h2>
<p>${shapes.map((name, at) => html`${at > 0 && ', '}<a id="${name}" href="reference/shapes#${name}">${name}</a>`)}</p>`;
  return renderBesideContents(page, { title: 'API', sections: SECTIONS, main });
}

const SECTIONS = [
  { id: 'beginning', title: 'How to begin' },
  { id: 'errors', title: 'Errors' },
];

function groupSection({ name, title, description, operations }: ApiGroup): Html {
  const address = `reference/${name}`;
  const entry = ({ method, path, operation: { operationId, summary } }: CalledOperation) =>
    html`<li id="${operationId}"><a href="${address}#${operationId}">${summary}</a><br><span class="quiet">${method.toUpperCase()} <code>${path}</code></span></li>\n`;
  return html`<h2 id="${name}"><a href="${address}">${title}</a></h2>
<p>${description}</p>
<ul>
${operations.map(entry)}</ul>
`;
}

function beginning({ servers }: OpenApiDocument, { read = 'papers', posted = 'papers' }: ExampleSets): Html {
  const base = servers[0]?.url ?? '';
  const event = '{"changes":[{"location":{"value":"2026/a.pdf","type":"rel_path"},"change":"updated","length":2048}]}';
  return html`<pre><code># the sets
curl ${base}/api/sets
# what changed in a set since a time, oldest first
curl '${base}/api/sets/${read}/changes?from=2026-01-31T12:00:00Z'
# post a change
curl -H 'Authorization: Bearer TOKEN' -H 'Content-Type: application/json' --data '${event}' ${base}/api/sets/${posted}/changes
# post many changes, one on each line
curl -H 'Authorization: Bearer TOKEN' -H 'Content-Type: application/x-ndjson' --data-binary @changes.ndjson ${base}/api/sets/${posted}/changes</code></pre>
<p>Reading needs no token, except for private sets. A server that only its own machine can reach may need none at all.</p>`;
}

function errors({ paths, components }: OpenApiDocument): Html {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const answers = operations.flatMap(({ responses }) => Object.entries(responses));
  const statuses = new Map(
    answers.map(([status, response]) => ['$ref' in response ? nameInReference(response.$ref) : '', status]),
  );
  return table('Errors', Object.entries(components.responses), [
    { name: 'Status', isHead: true, style: 'short', cell: ([name]) => statuses.get(name) },
    { name: 'Meaning', cell: ([, { description }]) => html`${withCode(description)}` },
    { name: 'Headers', cell: ([, { headers }]) => Object.keys(headers ?? {}).join(', ') },
  ]);
}

/**
 * The page of a group of operations, or the one of all shapes of JSON.
 * @param name in the address of the page; undefined is returned when there is no such page
 */
export function renderApiGroupPage(page: ApiPage, name: string): string | undefined {
  if (name === SHAPES.name) return renderShapes(page);
  const group = groupsOf(page.document).find((one) => one.name === name);
  return group && renderGroup(page, group);
}

function renderGroup(page: ApiPage, { name, title, description, operations }: ApiGroup): string {
  const { document, sets } = page;
  return renderBesideContents(page, {
    name,
    title: `${title} – API`,
    sections: operations.map(({ operation }) => ({ id: operation.operationId, title: operation.summary })),
    main: html`<h1>${title}</h1>
<p class="lead">${description}</p>
${operations.map((operation) => renderOperation(operation, document, sets))}`,
  });
}

function renderShapes(page: ApiPage): string {
  const schemas = Object.entries(page.document.components.schemas);
  return renderBesideContents(page, {
    ...SHAPES,
    title: `${SHAPES.title} – API`,
    sections: schemas.map(([name]) => ({ id: name, title: name })),
    main: html`<h1>${SHAPES.title}</h1>
<p class="lead">What requests and responses contain.</p>
${schemas.map(([name, schema]) => renderSchema(name, schema))}`,
  });
}

/** The common input of the pages of the API. */
export interface ApiPage {
  readonly frame: Frame;
  readonly document: OpenApiDocument;
  readonly sets: ExampleSets;
}

/** The page with the shapes of JSON; groups have pages of their names. */
const SHAPES = { name: 'shapes', title: 'Shapes of JSON' } as const;

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
function renderBesideContents({ frame, document }: ApiPage, { name, title, sections, main }: Content): string {
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

/** The operations of one tag, which have a page of their own. */
interface ApiGroup {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly operations: readonly CalledOperation[];
}

/** All groups, without the pages for people. */
function groupsOf(document: OpenApiDocument): readonly ApiGroup[] {
  const operations = operationsOf(document);
  return document.tags
    .map(({ name, description }) => ({
      name,
      title: name.charAt(0).toUpperCase() + name.slice(1),
      description,
      operations: operations.filter(({ operation }) => operation.tags.includes(name)),
    }))
    .filter(({ name, operations: its }) => its.length > 0 && name !== 'pages');
}

/** HEAD is left out: its response is that of GET. */
function operationsOf({ paths }: OpenApiDocument): readonly CalledOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method !== 'head')
      .map(([method, operation]) => ({ method, path, operation })),
  );
}
