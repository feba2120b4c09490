import { nameInReference, type OpenApiDocument } from '../../openapi/openapi-document.ts';
import type { Frame } from '../parts/frame.ts';
import { type Html, html } from '../parts/html.ts';
import { renderPage } from '../parts/layout.ts';
import { table } from '../parts/tables.ts';
import { renderOperation } from './api-operation.ts';
import { renderSchema, withCode } from './api-schema.ts';
import type { Asked } from './curl-example.ts';

interface ApiPage {
  readonly frame: Frame;
  readonly document: OpenApiDocument;
  /** The id of a set that the reader may read, for the examples; undefined when there is none. */
  readonly set: string | undefined;
}

/** The description of the API as a web page: the contents of /api/openapi.json, without the pages. */
export function renderApiPage({ frame, document, set }: ApiPage): string {
  const { info, tags, components } = document;
  const operations = operationsOf(document);
  const groups = tags
    .map((tag) => ({ ...tag, operations: operations.filter(({ operation }) => operation.tags.includes(tag.name)) }))
    .filter((group) => group.operations.length > 0 && group.name !== 'pages');
  const content = html`<h1>API</h1>
${info.description.split('\n\n').map((paragraph) => html`<p>${withCode(paragraph)}</p>`)}
<p>All of this as OpenAPI 3.1, for programs: <a href="openapi.json">openapi.json</a></p>
<h2 id="beginning">How to begin</h2>
${beginning(document, set)}
${groups.map(
  ({ name, description, operations }) => html`<h2 id="${name}">${titleOf(name)}</h2>
<p>${description}</p>
${operations.map((operation) => renderOperation(operation, document, set))}`,
)}
<h2 id="errors">Errors</h2>
<p>Every error is <a href="#Error">one shape of JSON</a>. Its <code>code</code> stays the same where the words of its message may change.</p>
${errors(document)}
<h2 id="shapes">Shapes of JSON</h2>
${Object.entries(components.schemas).map(([name, schema]) => renderSchema(name, schema))}`;
  return renderPage({
    frame,
    title: 'API',
    main: html`<div class="beside">${navigation(groups)}<div>${content}</div></div>`,
    part: 'api',
    links: [{ rel: 'service-desc', href: 'openapi.json', type: 'application/json' }],
  });
}

interface Group {
  readonly name: string;
  readonly operations: readonly Asked[];
}

/** Placed beside the text where there is room: one group is open at a time. */
function navigation(groups: readonly Group[]): Html {
  const entries = groups.map(
    ({ name, operations }) => html`<li><details name="operations"><summary>${titleOf(name)}</summary>
<ul>${operations.map(entry)}</ul></details></li>`,
  );
  return html`<nav class="contents" id="contents" aria-label="Operations"><ul>
<li><a href="#beginning">How to begin</a></li>
${entries}
<li><a href="#errors">Errors</a></li><li><a href="#shapes">Shapes of JSON</a></li></ul></nav>`;
}

/** HEAD is left out: its response is that of GET. */
function operationsOf({ paths }: OpenApiDocument): readonly Asked[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method !== 'head')
      .map(([method, operation]) => ({ method, path, operation })),
  );
}

function beginning({ servers }: OpenApiDocument, set = 'papers'): Html {
  const base = servers[0]?.url ?? '';
  const event = '{"changes":[{"location":{"value":"2026/a.pdf","type":"rel_path"},"change":"updated","length":2048}]}';
  return html`<pre><code># the sets
curl ${base}/api/sets
# what changed in a set since a time, oldest first
curl '${base}/api/sets/${set}/changes?from=2026-01-31T12:00:00Z'
# post a change
curl -H 'Authorization: Bearer TOKEN' -H 'Content-Type: application/json' --data '${event}' ${base}/api/sets/${set}/changes
# post many changes, one on each line
curl -H 'Authorization: Bearer TOKEN' -H 'Content-Type: application/x-ndjson' --data-binary @changes.ndjson ${base}/api/sets/${set}/changes</code></pre>
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

function entry({ operation: { operationId, summary } }: Asked): Html {
  return html`<li><a href="#${operationId}">${summary}</a></li>`;
}

function titleOf(tag: string): string {
  return tag.charAt(0).toUpperCase() + tag.slice(1);
}
