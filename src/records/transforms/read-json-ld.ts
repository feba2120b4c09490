import { iriOf, NAMESPACES, type RdfNode, type RdfValue } from './rdf-node.ts';

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
interface JsonObject {
  readonly [name: string]: JsonValue;
}

/**
 * The nodes of a JSON-LD document. It resolves prefixes, terms, aliases of keywords and types of values by the contexts
 * in the document, and knows the usual prefixes of MAP. It does not fetch other contexts, nor read containers by
 * language or type, `@reverse`, relative IRIs and scoped contexts.
 */
export function readJsonLd(document: JsonValue): readonly RdfNode[] {
  return new JsonLdReader(document).nodes();
}

/** A term or prefix of a context. */
interface Term {
  /** A keyword, such as `@id`, if the term is an alias of it. */
  readonly iri: string;
  /** What strings are as values of the term: literals, IRIs (`@type: @id`), or also names of terms (`@vocab`). */
  readonly strings: Strings;
}

type Strings = 'literals' | 'iris' | 'terms';
type Context = ReadonlyMap<string, Term>;

const USUAL: Context = new Map(
  Object.entries(NAMESPACES).map(([prefix, iri]) => [prefix, { iri, strings: 'literals' }]),
);
const TYPE = iriOf('rdf:type');

class JsonLdReader {
  readonly #document: JsonValue;
  readonly #byId = new Map<string, JsonLdNode>();
  readonly #nodes: JsonLdNode[] = [];

  constructor(document: JsonValue) {
    this.#document = document;
  }

  nodes(): readonly RdfNode[] {
    this.#read(this.#document, USUAL);
    return this.#nodes;
  }

  #read(value: JsonValue, context: Context, strings: Strings = 'literals'): readonly RdfValue[] {
    if (Array.isArray(value)) return value.flatMap((item) => this.#read(item, context, strings));
    if (value === null) return [];
    if (typeof value === 'string' && strings !== 'literals') {
      const iri = strings === 'terms' ? predicateOf(value, context) : undefined;
      return [this.#nodeOf(iri ?? expanded(value, context))];
    }
    if (typeof value !== 'object') return [String(value)];
    const given = value as JsonObject;
    const own = '@context' in given ? withContext(context, given['@context']!) : context;
    const object = withKeywords(given, own);
    if ('@value' in object) return this.#read(object['@value']!, own);
    for (const wrapper of ['@list', '@set'] as const) {
      if (wrapper in object) return this.#read(object[wrapper]!, own, strings);
    }
    return [this.#readNode(object, own)];
  }

  #readNode(object: JsonObject, context: Context): JsonLdNode {
    const id = object['@id'];
    const node = this.#nodeOf(typeof id === 'string' ? expanded(id, context) : undefined);
    for (const [name, value] of Object.entries(object)) {
      if (name === '@graph') this.#read(value, context);
      if (name === '@type') node.add(TYPE, this.#typesOf(value, context));
      if (name.startsWith('@')) continue;
      const predicate = predicateOf(name, context);
      if (predicate !== undefined) node.add(predicate, this.#read(value, context, context.get(name)?.strings));
    }
    return node;
  }

  #typesOf(value: JsonValue, context: Context): readonly RdfValue[] {
    const types = Array.isArray(value) ? value : [value];
    return types
      .filter((type) => typeof type === 'string')
      .map((type) => this.#nodeOf(predicateOf(type, context) ?? type));
  }

  /** All occurrences of an IRI are the same node. */
  #nodeOf(iri: string | undefined): JsonLdNode {
    const known = iri === undefined ? undefined : this.#byId.get(iri);
    if (known !== undefined) return known;
    const node = new JsonLdNode(iri?.startsWith('_:') ? undefined : iri);
    this.#nodes.push(node);
    if (iri !== undefined) this.#byId.set(iri, node);
    return node;
  }
}

class JsonLdNode implements RdfNode {
  readonly iri: string | undefined;
  readonly #values = new Map<string, RdfValue[]>();

  constructor(iri: string | undefined) {
    this.iri = iri;
  }

  add(predicate: string, values: readonly RdfValue[]): void {
    const known = this.#values.get(predicate);
    if (known === undefined) this.#values.set(predicate, [...values]);
    else for (const value of values) known.push(value);
  }

  values(predicate: string): readonly RdfValue[] {
    return this.#values.get(predicate) ?? [];
  }
}

/** The context within an object, from that around it. */
function withContext(outer: Context, added: JsonValue): Context {
  if (Array.isArray(added)) return added.reduce<Context>(withContext, outer);
  if (typeof added !== 'object' || added === null) return outer;
  const definitions = added as JsonObject;
  const context = new Map(outer);
  const undefinedYet = new Set(Object.keys(definitions));
  const define = (name: string): void => {
    if (!undefinedYet.delete(name)) return;
    context.delete(name);
    const { id, strings } = definitionOf(name, definitions[name]!);
    if (id === undefined) return;
    // The prefix or term that it uses may be defined after it.
    define(id.split(':', 1)[0]!);
    const iri = id.startsWith('@') ? id : predicateOf(id, context);
    if (iri !== undefined) context.set(name, { iri, strings });
  };
  for (const name of ['@vocab', ...undefinedYet]) define(name);
  return context;
}

/** `id` is undefined for what is no term, and for a term that is taken away. */
function definitionOf(name: string, definition: JsonValue): { readonly id?: string; readonly strings: Strings } {
  if (name.startsWith('@') && name !== '@vocab') return { strings: 'literals' };
  if (typeof definition === 'string') return { id: definition, strings: 'literals' };
  if (typeof definition !== 'object' || definition === null) return { strings: 'literals' };
  const { '@id': id = name, '@type': type } = definition as JsonObject;
  const strings = type === '@id' ? 'iris' : type === '@vocab' ? 'terms' : 'literals';
  return typeof id === 'string' ? { id, strings } : { strings };
}

/** An object with keywords in place of their aliases. */
function withKeywords(object: JsonObject, context: Context): JsonObject {
  const keywordOf = (name: string) => {
    const iri = context.get(name)?.iri;
    return iri?.startsWith('@') ? iri : undefined;
  };
  const entries = Object.entries(object);
  if (!entries.some(([name]) => keywordOf(name) !== undefined)) return object;
  return Object.fromEntries(entries.map(([name, value]) => [keywordOf(name) ?? name, value]));
}

/** The IRI of a property or type; undefined for a term that no context defines. */
function predicateOf(name: string, context: Context): string | undefined {
  const known = context.get(name)?.iri;
  if (known !== undefined) return known;
  if (name.includes(':')) return expanded(name, context);
  const vocabulary = context.get('@vocab')?.iri;
  return vocabulary === undefined ? undefined : vocabulary + name;
}

function expanded(text: string, context: Context): string {
  const colon = text.indexOf(':');
  const isPrefixed = colon >= 0 && !text.startsWith('//', colon + 1);
  const namespace = isPrefixed ? context.get(text.slice(0, colon))?.iri : undefined;
  return namespace === undefined ? text : namespace + text.slice(colon + 1);
}
