import { z } from 'zod';

/**
 * A declarative mapping, as it is written: which expressions fill which fields of the JSON document that it makes.
 * docs/artifacts.md explains it.
 */
export interface MappingFile {
  /** XPath 3.1 for XML documents, JSONPath (RFC 9535) for JSON ones. */
  readonly language: 'xpath' | 'jsonpath';
  /** The namespaces of the prefixes in XPath. */
  readonly namespaces?: Readonly<Record<string, string>> | undefined;
  /** Namespaces that begin nothing are refused by this; notes for people. */
  readonly comment?: string | undefined;
  readonly fields: FieldRules;
}

export type FieldRules = { readonly [field: string]: FieldRule };

/** A text is short for `{ from }`. */
export type FieldRule = string | FromRule | ValueRule | ObjectRule;

/** Values that an expression finds: a list of texts, which is left out when it is empty. */
export interface FromRule {
  readonly from: string;
  /** Only the first value, and not as a list. */
  readonly first?: boolean | undefined;
  /** A record without a value fails. */
  readonly required?: boolean | undefined;
  /** Values are IRIs: each is written as `{"@id": …}`. */
  readonly iri?: boolean | undefined;
}

/** A constant for each record; `{id}` and `{provider}` in its texts are filled in. */
export interface ValueRule {
  readonly value: unknown;
}

/** An object, or one for each node that `each` finds, whose expressions begin there. */
export interface ObjectRule {
  readonly each?: string | undefined;
  readonly fields: FieldRules;
}

const expression = z.string().min(1);

const fieldRule: z.ZodType<FieldRule> = z.lazy(() =>
  z.union([
    expression,
    z.strictObject({
      from: expression,
      first: z.boolean().optional(),
      required: z.boolean().optional(),
      iri: z.boolean().optional(),
    }),
    z.strictObject({ value: z.json() }),
    z.strictObject({ each: expression.optional(), fields: fieldRules }),
  ]),
);
const fieldRules: z.ZodType<FieldRules> = z.lazy(() => z.record(z.string().min(1), fieldRule));

export const MAPPING_FILE: z.ZodType<MappingFile> = z.strictObject({
  language: z.enum(['xpath', 'jsonpath']),
  namespaces: z.record(z.string().min(1), z.string().min(1)).optional(),
  comment: z.string().optional(),
  fields: fieldRules,
});
