/** An object of JSON-LD. */
export type Node = Readonly<Record<string, unknown>>;

/** Nodes are not looked for below this depth. */
const DEEPEST = 12;
const PREFIXES = ['', 'schema:', 'https://schema.org/', 'http://schema.org/'];

/** The nodes of the JSON-LD of a page, however they are nested; texts that are no JSON are ignored. */
export interface JsonLdGraph {
  readonly nodes: readonly Node[];
  /** The node that a reference such as `{"@id": "#file"}` names; any other value as it is. */
  resolve(value: unknown): unknown;
}

export function readGraph(texts: readonly string[]): JsonLdGraph {
  const nodes: Node[] = [];
  const byId = new Map<string, Node>();
  const visit = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > DEEPEST) return;
    if (!Array.isArray(value)) {
      nodes.push(value as Node);
      const id = (value as Node)['@id'];
      // A reference has no other member.
      if (typeof id === 'string' && !byId.has(id) && Object.keys(value).length > 1) byId.set(id, value as Node);
    }
    for (const member of Object.values(value)) visit(member, depth + 1);
  };
  for (const text of texts) visit(parsed(text), 0);
  const resolve = (value: unknown) => {
    const id = isNode(value) ? value['@id'] : value;
    return typeof id === 'string' ? (byId.get(id) ?? value) : value;
  };
  return { nodes, resolve };
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether it has one of these types of schema.org. */
export function isA(node: Node, ...types: readonly string[]): boolean {
  return [node['@type']]
    .flat()
    .some((type) => typeof type === 'string' && types.includes(type.replace(/^.*[/#:]/, '')));
}

/** The values of a property of schema.org; empty without it. */
export function valuesOf(node: Node, property: string): readonly unknown[] {
  for (const name of namesOf(property)) {
    const value = node[name];
    if (value !== undefined && value !== null) return Array.isArray(value) ? value : [value];
  }
  return [];
}

/** Kept: names that are made for each of 10,000 nodes take most of the time. */
const names = new Map<string, readonly string[]>();

function namesOf(property: string): readonly string[] {
  const known = names.get(property) ?? PREFIXES.map((prefix) => prefix + property);
  names.set(property, known);
  return known;
}

/** A value as text: of a string, a number, or an object with `@value`, `value`, `name`, `url` or `@id`. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return value.trim() === '' ? undefined : value.trim();
  if (!isNode(value)) return undefined;
  const [found] = ['@value', 'value', 'name', 'url', '@id'].flatMap((name) => valuesOf(value, name));
  return isNode(found) ? undefined : textOf(found);
}

/** The first text of a property. */
export function textIn(node: Node, property: string): string | undefined {
  return valuesOf(node, property)
    .map(textOf)
    .find((text) => text !== undefined);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
