import type { Expression, ExpressionLanguage } from './expressions.ts';
import type { FieldRule, FieldRules, FromRule, MappingFile } from './mapping-file.ts';
import { type TransformContext, TransformError, type TransformInput } from './transform.ts';

/** Finds the value of a rule at a node; undefined leaves the field out. */
type Fill<Node> = (node: Node, facts: Facts) => unknown;
type Facts = Readonly<Record<'id' | 'provider', string>>;

/** A mapping whose expressions are all compiled. @throws Error that names the field with a wrong expression */
export class FieldMapping<Node> {
  readonly #language: ExpressionLanguage<Node>;
  readonly #fill: Fill<Node>;

  constructor({ fields }: MappingFile, language: ExpressionLanguage<Node>) {
    this.#language = language;
    this.#fill = this.#objectOf(fields, '');
  }

  /** Returns JSON text. @throws TransformError for a document that cannot be parsed, or lacks a required value */
  map(record: TransformInput, { provider }: TransformContext): string {
    const node = this.#language.parse(record);
    return JSON.stringify(this.#fill(node, { id: record.id, provider }) ?? {});
  }

  #objectOf(rules: FieldRules, path: string): Fill<Node> {
    const fills = Object.entries(rules).map(
      ([field, rule]) => [field, this.#fillOf(rule, path === '' ? field : `${path} / ${field}`)] as const,
    );
    return (node, facts) => {
      const object: Record<string, unknown> = Object.create(null);
      let isEmpty = true;
      for (const [field, fill] of fills) {
        const value = fill(node, facts);
        if (value === undefined) continue;
        object[field] = value;
        isEmpty = false;
      }
      return isEmpty ? undefined : object;
    };
  }

  #fillOf(rule: FieldRule, path: string): Fill<Node> {
    if (typeof rule === 'string') return this.#valuesOf({ from: rule }, path);
    if ('value' in rule) return (_, facts) => filledIn(rule.value, facts, path === '@id' || path.endsWith(' / @id'));
    if ('from' in rule) return this.#valuesOf(rule, path);
    const object = this.#objectOf(rule.fields, path);
    if (rule.each === undefined) return object;
    const each = this.#compile(rule.each, path);
    return (node, facts) => {
      const objects = evaluated(each.nodes, node, path)
        .map((one) => object(one, facts))
        .filter((value) => value !== undefined);
      return objects.length === 0 ? undefined : objects;
    };
  }

  #valuesOf(rule: FromRule, path: string): Fill<Node> {
    const { texts } = this.#compile(rule.from, path);
    const written = (text: string): unknown => (rule.iri ? { '@id': text } : text);
    return (node) => {
      const values = evaluated(texts, node, path);
      if (values.length === 0) {
        if (rule.required) throw new TransformError('missing-field', `it has no ${path} (${rule.from})`);
        return undefined;
      }
      return rule.first ? written(values[0]!) : values.map(written);
    };
  }

  #compile(expression: string, path: string): Expression<Node> {
    try {
      return this.#language.compile(expression);
    } catch (error) {
      throw new Error(`the expression of ${path} is wrong (${expression}): ${(error as Error).message}`);
    }
  }
}

function evaluated<Node, Value>(evaluate: (node: Node) => readonly Value[], node: Node, path: string) {
  try {
    return evaluate(node);
  } catch (error) {
    throw new TransformError('expression', `the expression of ${path} failed: ${(error as Error).message}`, error);
  }
}

/**
 * Replaces `{id}` and `{provider}` in the texts of a constant by the values of the record; encoded where the text is an
 * IRI.
 */
function filledIn(value: unknown, facts: Facts, isIri = false): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(/\{(id|provider)\}/g, (_, name: keyof Facts) =>
      isIri ? encodeURIComponent(facts[name]) : facts[name],
    );
  }
  if (Array.isArray(value)) return value.map((item) => filledIn(item, facts, isIri));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, filledIn(item, facts, name === '@id')]));
}
