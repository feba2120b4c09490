import { OAI_NAMESPACE } from './oai-record.ts';
import { escapeValue } from './xml-text.ts';

/** Namespaces by prefix; the empty prefix has the default one. */
export type Scope = ReadonlyMap<string, string>;
type Named = readonly (readonly [name: string, value: string])[];

interface TagParts {
  readonly name: string;
  /** By prefix. */
  readonly declarations: Named;
  readonly attributes: Named;
}

/** Writes a start tag in the canonical order: declarations by prefix, then attributes by name. */
export function startTag({ name, declarations, attributes }: TagParts): string {
  let text = `<${name}`;
  for (const [prefix, uri] of sorted(declarations)) {
    text += ` ${prefix === '' ? 'xmlns' : `xmlns:${prefix}`}="${escapeValue(uri)}"`;
  }
  for (const [attribute, value] of sorted(attributes)) text += ` ${attribute}="${escapeValue(value)}"`;
  return `${text}>`;
}

function sorted(entries: Named): Named {
  return entries.length < 2 ? entries : entries.toSorted(([one], [other]) => (one < other ? -1 : 1));
}

interface Usage {
  /** Whether an element without prefix is in the default namespace around it, or in none. */
  readonly inheritsDefault: boolean;
  /** The namespace of the elements around it; by default that of OAI-PMH. */
  readonly envelope?: string;
  /** Whether its text has a prefix: it may be a part of a name, or of a value. */
  mentions(prefix: string): boolean;
}

/**
 * The declarations that an element needs in order to be a document of its own: all that are in scope around it. Those
 * of the namespace of its envelope are for that: they are left out where the element does not need them, since
 * another page may have them with another prefix.
 */
export function inheritedDeclarations(around: Scope, own: ReadonlySet<string>, usage: Usage): Named {
  const { envelope = OAI_NAMESPACE } = usage;
  const needed = [...around].filter(([prefix, uri]) => {
    if (prefix === 'xml' || own.has(prefix)) return false;
    if (prefix === '') return usage.inheritsDefault || !(uri === envelope || uri === '');
    return uri !== envelope || usage.mentions(prefix);
  });
  // The stored record itself has a default namespace.
  return usage.inheritsDefault && !around.has('') ? [['', ''], ...needed] : needed;
}
