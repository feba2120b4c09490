import type { Content, Contents } from '../request/operation.ts';
import { ANSWER_HEADERS, type AnswerHeader } from '../request/operation-headers.ts';
import type { MediaTypes } from './openapi-document.ts';
import type { OpenApiSchemas } from './openapi-schemas.ts';

/** Bodies and headers in OpenAPI 3.1. */

/** @param io whether the server receives it or sends it */
export function describeContents(contents: Contents, io: 'input' | 'output', schemas: OpenApiSchemas): MediaTypes {
  const described = Object.entries(contents).map(([type, content]) => [type, describe(content, io, schemas)]);
  return Object.fromEntries(described);
}

export function describeHeaders(names: readonly AnswerHeader[]): Readonly<Record<string, object>> {
  const header = (name: AnswerHeader) => ({ description: ANSWER_HEADERS[name], schema: { type: 'string' } });
  return Object.fromEntries(names.map((name) => [name, header(name)]));
}

/** OpenAPI 3.1 has no term for JSON on each line: `x-line` contains the schema of a line. */
function describe(content: Content, io: 'input' | 'output', schemas: OpenApiSchemas) {
  if (content === 'bytes') return {};
  if (content === 'text') return { schema: { type: 'string' } };
  if (!('lines' in content)) return { schema: schemas.schemaOf(content, io) };
  const description = 'JSON, one object a line: each as `x-line` says.';
  return { schema: { type: 'string', description, 'x-line': schemas.schemaOf(content.lines, io) } };
}
