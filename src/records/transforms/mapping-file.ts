import { z } from 'zod';

/**
 * A declarative mapping as written in a file: the expressions that fill the fields of a JSON document.
 * docs/artifacts.md explains it.
 */
export interface MappingFile {
  /** XPath 3.1 for XML documents, JSONPath (RFC 9535) for JSON ones. */
  readonly language: 'xpath' | 'jsonpath';
  /** The namespaces of the prefixes in XPath. */
  readonly namespaces?: Readonly<Record<string, string>> | undefined;
  /** A note for users, without effect. */
  readonly comment?: string | undefined;
  readonly fields: FieldRules;
}

export type FieldRules = { readonly [field: string]: FieldRule };

/** A text is an abbreviation of `{ from }`. */
export type FieldRule = string | FromRule | ValueRule | ObjectRule;

/** The values that an expression finds, as a list of texts; an empty list is left out. */
export interface FromRule {
  readonly from: string;
  /** Whether only the first value is used, without a list. */
  readonly first?: boolean | undefined;
  /** Whether a record without a value fails. */
  readonly required?: boolean | undefined;
  /** Whether values are IRIs: each is written as `{"@id": …}`. */
  readonly iri?: boolean | undefined;
}

/** A constant for each record; `{id}` and `{provider}` in its texts are replaced. */
interface ValueRule {
  readonly value: unknown;
}

/** An object, or one for each node that `each` finds, whose expressions begin there. */
interface ObjectRule {
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
