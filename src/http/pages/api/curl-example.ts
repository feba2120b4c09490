import type { DescribedOperation, JsonSchema, OpenApiDocument } from '../../openapi/openapi-document.ts';
import { nameInReference } from '../../openapi/openapi-document.ts';

export interface CalledOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: DescribedOperation;
}

/** The ids of existing sets for the examples; where there is none, the one of the description is used. */
export interface ExampleSets {
  readonly read?: string | undefined;
  /** A set that takes posted events. */
  readonly posted?: string | undefined;
}

/** A command that calls an operation, ready to paste into a shell. */
export function curlExample(
  { method, path, operation }: CalledOperation,
  { servers, components }: OpenApiDocument,
  { read, posted }: ExampleSets,
): string {
  const words = ['curl'];
  if (operation.security.every((scheme) => Object.keys(scheme).length > 0)) {
    words.push('-H', quoted('Authorization: Bearer TOKEN'));
  }
  const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  if (type !== undefined) {
    const example = exampleOf(content?.schema ?? {}, components.schemas);
    words.push('-H', quoted(`Content-Type: ${type}`), '--data', quoted(JSON.stringify(example)));
  } else if (method !== 'get') words.push('-X', method.toUpperCase());
  return [
    ...words,
    quoted(`${servers[0]?.url ?? ''}${filledPath(path, operation, method === 'get' ? read : posted)}`),
  ].join(' ');
}

/** The path with an example for each name, and the required query parameters. */
function filledPath(path: string, { parameters }: DescribedOperation, set: string | undefined): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'set' && set !== undefined) return set;
    return String(parameters.find((parameter) => parameter.name === name)?.example ?? name);
  });
  const examples = parameters.flatMap(({ name, in: place, required, schema }) => {
    const [example] = (schema.examples as readonly unknown[] | undefined) ?? [];
    return place === 'query' && required && example !== undefined ? [[name, String(example)] as const] : [];
  });
  return examples.length === 0 ? filled : `${filled}?${new URLSearchParams(Object.fromEntries(examples))}`;
}

function exampleOf(schema: JsonSchema, schemas: OpenApiDocument['components']['schemas']): unknown {
  const { $ref, examples } = schema as { readonly $ref?: string; readonly examples?: readonly unknown[] };
  if (examples !== undefined) return examples[0];
  return $ref === undefined ? {} : exampleOf(schemas[nameInReference($ref)] ?? {}, schemas);
}

/** Quotes for a POSIX shell: between single quotes, only the quote itself has a meaning. */
function quoted(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
