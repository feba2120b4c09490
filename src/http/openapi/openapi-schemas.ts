import * as z from 'zod';
import type { JsonSchema } from './openapi-document.ts';

/** Converts zod schemas to JSON Schemas, and gathers those with an id: the document contains each of these once. */
export class OpenApiSchemas {
  readonly #components = new Map<string, JsonSchema>();

  /** @param io whether the server receives the value or sends it */
  schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    // Converted as a part of another schema, so that one with an id becomes a reference like any other.
    const { properties, $defs = {} } = pointToComponents(z.toJSONSchema(z.object({ it: schema }), { io }));
    for (const [id, component] of Object.entries($defs)) this.#components.set(id, component);
    return properties.it;
  }

  /** Every schema with an id so far, by id. */
  get components(): Readonly<Record<string, JsonSchema>> {
    const byId = [...this.#components].sort(([one], [other]) => (one < other ? -1 : 1));
    return Object.fromEntries(byId);
  }
}

interface WithOnePart {
  readonly properties: { readonly it: JsonSchema };
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
}

function pointToComponents(schema: object): WithOnePart {
  return JSON.parse(JSON.stringify(schema), (name, value) =>
    name === '$ref' ? String(value).replace('#/$defs/', '#/components/schemas/') : value,
  );
}
