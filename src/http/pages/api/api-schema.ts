import { type JsonSchema, nameInReference } from '../../openapi/openapi-document.ts';
import { type Html, html } from '../parts/html.ts';
import { type Column, table } from '../parts/tables.ts';

/** JSON Schemas in words. */

interface Property {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

/** A component with its fields, as a section that others link to. */
export function renderSchema(name: string, schema: JsonSchema): Html {
  return html`<section class="operation" id="${name}">
<h2>${name}</h2>
${describe(schema)}
${shape(name, schema)}
</section>`;
}

/** The type of a value, in a few words, on a page beside the one of the shapes. */
export function typeInWords(schema: JsonSchema): Html {
  const { $ref, type, items, format, minimum, maximum } = schema;
  const choices = (schema.oneOf ?? schema.anyOf) as readonly JsonSchema[] | undefined;
  if (typeof $ref === 'string') {
    const name = nameInReference($ref);
    return html`<a href="shapes#${name}">${name}</a>`;
  }
  if (choices !== undefined) return joined(choices.map(typeInWords), ' or ');
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (Array.isArray(schema.enum))
    return joined(
      schema.enum.map((value) => html`<code>${String(value)}</code>`),
      ', ',
    );
  if (type === 'array') return html`array of ${typeInWords((items as JsonSchema | undefined) ?? {})}`;
  if (type === 'integer') return html`integer${range(minimum, maximum)}`;
  if (format === 'date-time') return html`datetime`;
  return html`${typeof type === 'string' ? type : 'anything'}`;
}

function shape(name: string, schema: JsonSchema): Html | undefined {
  const choices = (schema.oneOf ?? schema.anyOf) as readonly JsonSchema[] | undefined;
  if (choices !== undefined) {
    return html`${choices.map((choice, at) => fields(`${name}, form ${at + 1}`, choice))}`;
  }
  return fields(name, schema);
}

function fields(label: string, schema: JsonSchema): Html | undefined {
  const { properties, required = [] } = schema as {
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly required?: readonly string[];
  };
  if (properties === undefined) return html`<p>${typeInWords(schema)}</p>`;
  const rows = Object.entries(properties).map(([name, property]): Property => {
    return { name, schema: property, isRequired: required.includes(name) };
  });
  return table(`Fields of ${label}`, rows, COLUMNS);
}

const COLUMNS: readonly Column<Property>[] = [
  { name: 'Field', isHead: true, style: 'short', cell: ({ name }) => html`<code>${name}</code>` },
  { name: 'Type', cell: ({ schema }) => typeInWords(schema) },
  { name: 'Always', style: 'short', cell: ({ isRequired }) => (isRequired ? 'yes' : 'no') },
  { name: 'Meaning', cell: ({ schema }) => describe(schema) },
];

function describe({ description }: JsonSchema): Html | undefined {
  return typeof description === 'string' ? html`${withCode(description)}` : undefined;
}

/** Text in which \`words\` between backticks are code. */
export function withCode(text: string): Html[] {
  return text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}

function range(minimum: unknown, maximum: unknown): Html | undefined {
  const isBounded = typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER;
  if (isBounded && typeof minimum === 'number') return html`, ${minimum} to ${maximum}`;
  return undefined;
}

function joined(parts: readonly Html[], between: string): Html {
  return html`${parts.map((part, at) => html`${at > 0 && between}${part}`)}`;
}
