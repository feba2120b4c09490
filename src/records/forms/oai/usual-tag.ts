import { type Scope, startTag } from './start-tag.ts';
import { resolveReferences } from './xml-text.ts';

/** A start tag that many records have, as it is in the page without its brackets. */
export interface UsualTag {
  readonly name: string;
  readonly prefix: string;
  readonly isEmpty: boolean;
  readonly declarations: readonly (readonly [prefix: string, uri: string])[];
  readonly attributes: readonly (readonly [name: string, value: string])[];
  /** Those of its name, which may be empty, and of its attributes. */
  readonly prefixes: readonly string[];
  /** The whole tag, written canonically; without its end if it is empty. */
  readonly text: string;
  /** What the last scope made of it: see `UsualScope`. */
  known?: { readonly around: UsualScope; readonly within: UsualScope };
  /** The text as the root of an element in a scope. */
  root?: { readonly around: UsualScope; readonly text: string };
}

/** The namespaces within an element. */
export interface UsualScope {
  readonly namespaces: Scope;
  /** Whether the default namespace is declared within the element that is cut out. */
  readonly ownsDefault: boolean;
}

const NAME = /^(?:([A-Za-z_][\w.-]*):)?[A-Za-z_][\w.-]*/;
const ATTRIBUTE = /[ \t\n]+((?:([A-Za-z_][\w.-]*):)?([A-Za-z_][\w.-]*))[ \t\n]*=[ \t\n]*(?:"([^"<]*)"|'([^'<]*)')/y;
const END = /[ \t\n]*(\/?)$/y;
const RESERVED = /^(?:xml|xmlns)$|^http:\/\/www\.w3\.org\/(?:XML\/1998\/namespace|2000\/xmlns\/)$|^\s|\s$/;

/** Tags that are kept: those of metadata with many attributes may all differ. */
const MOST_TAGS = 2_000;
const LESS = 0x3c;

/** The start tags of a page. */
export class UsualTags {
  readonly #tags = new Map<string, UsualTag>();

  /** The tag at a position; undefined where there is none, or an unusual one. */
  at(text: string, position: number): UsualTag | undefined {
    if (text.charCodeAt(position) !== LESS) return undefined;
    const raw = text.slice(position + 1, text.indexOf('>', position));
    const known = this.#tags.get(raw);
    if (known !== undefined) return known;
    const tag = parseUsualTag(raw);
    // A copy of the text: a slice would keep all of the page in memory.
    if (tag !== undefined && this.#tags.size < MOST_TAGS) this.#tags.set(Buffer.from(raw).toString(), tag);
    return tag;
  }
}

/** The scope within an element; undefined when the tag has a prefix that is not declared, or needs a default around. */
export function scopeWithin(tag: UsualTag, around: UsualScope): UsualScope | undefined {
  if (tag.known?.around === around) return tag.known.within;
  let within = around;
  if (tag.declarations.length > 0) {
    const namespaces = new Map([...around.namespaces, ...tag.declarations]);
    within = { namespaces, ownsDefault: around.ownsDefault || tag.declarations.some(([prefix]) => prefix === '') };
  }
  const isKnown = (prefix: string) =>
    prefix === '' ? within.ownsDefault : prefix === 'xml' || within.namespaces.has(prefix);
  const [ofName = '', ...ofAttributes] = tag.prefixes;
  if (!isKnown(ofName) || ofName === 'xml' || !ofAttributes.every(isKnown)) return undefined;
  tag.known = { around, within };
  return within;
}

/** Parses a start tag; undefined when it has anything unusual, or a fault. */
function parseUsualTag(text: string): UsualTag | undefined {
  const [name, prefix = ''] = NAME.exec(text) ?? [];
  if (name === undefined) return undefined;
  const declarations: [string, string][] = [];
  const attributes: [string, string][] = [];
  const prefixes = [prefix];
  const seen = new Set<string>();
  ATTRIBUTE.lastIndex = name.length;
  let end = name.length;
  for (let match = ATTRIBUTE.exec(text); match !== null; match = ATTRIBUTE.exec(text)) {
    end = ATTRIBUTE.lastIndex;
    const [, attribute = '', before, local = '', double, single = ''] = match;
    const value = resolveReferences((double ?? single).replace(/[\t\n]/g, ' '));
    if (value === undefined) return undefined;
    const declared = before === 'xmlns' ? local : attribute === 'xmlns' ? '' : undefined;
    // Two attributes with one local name may be one, by their namespaces.
    const key = declared === undefined ? local : `xmlns:${declared}`;
    if (seen.has(key)) return undefined;
    seen.add(key);
    if (declared === undefined) {
      attributes.push([attribute, value]);
      if (before !== undefined) prefixes.push(before);
    } else if (RESERVED.test(declared) || RESERVED.test(value) || (declared !== '' && value === '')) return undefined;
    else declarations.push([declared, value]);
  }
  END.lastIndex = end;
  const isEmpty = END.exec(text)?.[1];
  if (isEmpty === undefined) return undefined;
  const parts = { name, declarations, attributes };
  return { ...parts, prefix, isEmpty: isEmpty !== '', prefixes, text: startTag(parts) };
}
