/** The parts of OpenAPI 3.1 that /api/openapi.json contains. */

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly license: object;
  };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** By path template and method. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, DescribedResponse>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}

export interface DescribedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  /** An empty object in the list means that no token is needed. */
  readonly security: readonly object[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: MediaTypes };
  /** By status. */
  readonly responses: Readonly<Record<string, DescribedResponse | Reference>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface DescribedResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: MediaTypes;
}

/** By media type; without a schema, the content is bytes. */
export type MediaTypes = Readonly<Record<string, { readonly schema?: JsonSchema }>>;

export interface Reference {
  readonly $ref: string;
}

/** The last part of a reference: the name of a component. */
export function nameInReference(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}
