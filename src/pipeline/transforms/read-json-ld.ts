import { iriOf, NAMESPACES, type RdfNode, type RdfValue } from './rdf-node.ts';

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
interface JsonObject {
  readonly [name: string]: JsonValue;
}

/**
 * The nodes of a JSON-LD document. It resolves prefixes and terms of contexts in the document, and knows the usual ones
 * of MAP. It does not fetch other contexts, nor read containers by language or type, `@reverse` and scoped contexts.
 */
export function readJsonLd(document: JsonValue): readonly RdfNode[] {
  return new JsonLdReader(document).nodes();
}

type Names = ReadonlyMap<string, string>;
const USUAL: Names = new Map(Object.entries(NAMESPACES));
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

  #read(value: JsonValue, names: Names): readonly RdfValue[] {
    if (Array.isArray(value)) return value.flatMap((item) => this.#read(item, names));
    if (value === null) return [];
    if (typeof value !== 'object') return [String(value)];
    const object = value as JsonObject;
    if ('@value' in object) return this.#read(object['@value']!, names);
    for (const wrapper of ['@list', '@set'] as const) {
      if (wrapper in object) return this.#read(object[wrapper]!, names);
    }
    return [this.#readNode(object, '@context' in object ? withContext(names, object['@context']!) : names)];
  }

  #readNode(object: JsonObject, names: Names): JsonLdNode {
    const id = object['@id'];
    const node = this.#nodeOf(typeof id === 'string' ? expanded(id, names) : undefined);
    for (const [name, value] of Object.entries(object)) {
      if (name === '@graph') this.#read(value, names);
      if (name === '@type') node.add(TYPE, this.#typesOf(value, names));
      if (name.startsWith('@')) continue;
      const predicate = predicateOf(name, names);
      if (predicate !== undefined) node.add(predicate, this.#read(value, names));
    }
    return node;
  }

  #typesOf(value: JsonValue, names: Names): readonly RdfValue[] {
    const types = Array.isArray(value) ? value : [value];
    return types
      .filter((type) => typeof type === 'string')
      .map((type) => this.#nodeOf(predicateOf(type, names) ?? type));
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

function withContext(names: Names, context: JsonValue): Names {
  const found = new Map(names);
  for (const one of Array.isArray(context) ? context : [context]) {
    if (typeof one !== 'object' || one === null) continue;
    for (const [name, meaning] of Object.entries(one as JsonObject)) {
      const iri = typeof meaning === 'object' && meaning !== null && '@id' in meaning ? meaning['@id'] : meaning;
      if (typeof iri === 'string') found.set(name, expanded(iri, found));
    }
  }
  return found;
}

/** The IRI of a property or type; undefined for a term that no context defines. */
function predicateOf(name: string, names: Names): string | undefined {
  const known = names.get(name);
  if (known !== undefined) return known;
  if (name.includes(':')) return expanded(name, names);
  const vocabulary = names.get('@vocab');
  return vocabulary === undefined ? undefined : vocabulary + name;
}

function expanded(text: string, names: Names): string {
  const colon = text.indexOf(':');
  const namespace = colon < 0 || text.startsWith('//', colon + 1) ? undefined : names.get(text.slice(0, colon));
  return namespace === undefined ? text : namespace + text.slice(colon + 1);
}
