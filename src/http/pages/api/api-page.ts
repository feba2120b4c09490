import { nameInReference, type OpenApiDocument } from '../../openapi/openapi-document.ts';
import { type Html, html } from '../parts/html.ts';
import { table } from '../parts/tables.ts';
import { type ApiPage, renderBesideContents, SHAPES } from './api-frame.ts';
import { type ApiGroup, groupsOf } from './api-groups.ts';
import { withCode } from './api-schema.ts';
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
