import {
  type DescribedResponse,
  nameInReference,
  type OpenApiDocument,
  type Parameter,
  type Reference,
} from '../../openapi/openapi-document.ts';
import { type Html, html } from '../parts/html.ts';
import { type Column, table } from '../parts/tables.ts';
import { typeInWords, withCode } from './api-schema.ts';
import { type CalledOperation, curlExample, type ExampleSets } from './curl-example.ts';

/** Describes the request and the responses of one route. */
export function renderOperation(called: CalledOperation, document: OpenApiDocument, sets: ExampleSets): Html {
  const { method, path, operation } = called;
  const { operationId, summary, description, security, parameters, requestBody } = operation;
  const [headers, named] = [true, false].map((isHeader) =>
    parameters.filter((one) => (one.in === 'header') === isHeader),
  ) as [Parameter[], Parameter[]];
  const needsToken = security.every((scheme) => Object.keys(scheme).length > 0);
  return html`<section class="operation" id="${operationId}">
<h2>${summary}</h2>
<p class="route"><span class="method">${method.toUpperCase()}</span> <code>${path}</code> ${needsToken && html`<span class="state reading">token</span>`}</p>
${description?.split('\n\n').map((paragraph) => html`<p>${withCode(paragraph)}</p>`)}
${named.length > 0 && table(`Parameters of ${operationId}`, named, PARAMETER_COLUMNS)}
${headers.length > 0 && html`<p>Headers: ${headers.map(({ name }, at) => html`${at > 0 && ', '}<code>${name}</code>`)}</p>`}
${requestBody !== undefined && html`<p>Body: ${contents(requestBody.content)}</p>`}
${answers(called, document)}
<pre><code>${curlExample(called, document, sets)}</code></pre>
</section>`;
}

const PARAMETER_COLUMNS: readonly Column<Parameter>[] = [
  { name: 'Parameter', isHead: true, style: 'short', cell: ({ name }) => html`<code>${name}</code>` },
  { name: 'In', style: 'short', cell: ({ in: place }) => place },
  { name: 'Type', cell: ({ schema }) => typeInWords(schema) },
  { name: 'Meaning', cell: (parameter) => meaning(parameter) },
];

function meaning({ description = '', schema }: Parameter): Html {
  const byDefault = schema.default !== undefined && html` Without it: <code>${String(schema.default)}</code>.`;
  return html`${withCode(description)}${byDefault}`;
}

interface StatusAnswer {
  readonly status: string;
  readonly response: DescribedResponse;
}

const ANSWER_COLUMNS: readonly Column<StatusAnswer>[] = [
  { name: 'Status', isHead: true, style: 'short', cell: ({ status }) => status },
  { name: 'Meaning', cell: ({ response }) => html`${withCode(response.description)}` },
  { name: 'Body', cell: ({ response: { content } }) => content && contents(content) },
];

/** The successful responses; error responses are described once, on the overview. */
function answers({ operation: { operationId, responses } }: CalledOperation, { components }: OpenApiDocument): Html {
  const all = Object.entries(responses).map(([status, response]) => ({
    status,
    response: resolved(response, components),
  }));
  const own = all.filter(({ status }) => Number(status) < 400);
  const failures = all.filter(({ status }) => Number(status) >= 400);
  return html`${table(`Answers of ${operationId}`, own, ANSWER_COLUMNS)}
${failures.length > 0 && html`<p class="quiet">Or <a href="../#errors">an error</a>: ${failures.map(({ status }) => status).join(', ')}.</p>`}`;
}

function resolved(
  response: DescribedResponse | Reference,
  { responses }: OpenApiDocument['components'],
): DescribedResponse {
  return '$ref' in response ? responses[nameInReference(response.$ref)]! : response;
}

function contents(content: NonNullable<DescribedResponse['content']>): Html {
  const types = Object.entries(content).map(([type, { schema }], at) => {
    const shape = schema !== undefined && schema.type !== 'string' && html`: ${typeInWords(schema)}`;
    const line = schema?.['x-line'] as typeof schema;
    return html`${at > 0 && html`<br>`}<code>${type}</code>${shape}${line !== undefined && html`, each line ${typeInWords(line)}`}`;
  });
  return html`${types}`;
}
