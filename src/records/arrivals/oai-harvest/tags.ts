/** A start tag. */
export interface Tag {
  readonly prefix: string;
  readonly local: string;
  readonly attributes: ReadonlyMap<string, string>;
}

/** It begins with white space: a long text without an equals sign is then searched once. */
const ATTRIBUTE = /\s([^\s=/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
export const [LT, GT, SLASH, BANG, QUESTION] = [0x3c, 0x3e, 0x2f, 0x21, 0x3f] as const;
const [QUOTE, APOSTROPHE] = [0x22, 0x27] as const;

/** The position of the `>` that ends a tag, which an attribute may also contain; -1 when it is not in the bytes. */
export function endOfTag(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === GT) return at;
    if (byte !== QUOTE && byte !== APOSTROPHE) continue;
    at = bytes.indexOf(byte, at + 1);
    if (at < 0) return -1;
  }
  return -1;
}

const LONGEST_KEPT = 50;
const MOST_KEPT = 50;

/** Parses start tags, and remembers short ones: nearly all of an answer are alike. */
export class TagParser {
  readonly #known = new Map<string, Tag>();

  /** @param text without the brackets */
  parse(text: string): Tag {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const parsed = parseTag(text);
    if (text.length <= LONGEST_KEPT && this.#known.size < MOST_KEPT) this.#known.set(text, parsed);
    return parsed;
  }
}

function parseTag(text: string): Tag {
  const [name = ''] = /^[^\s/]*/.exec(text) ?? [];
  const colon = name.indexOf(':');
  const attributes = new Map<string, string>();
  if (text.length > name.length + 1) {
    for (const [, key = '', double, single] of text.matchAll(ATTRIBUTE))
      attributes.set(key, decoded(double ?? single!));
  }
  return { prefix: name.slice(0, Math.max(colon, 0)), local: name.slice(colon + 1), attributes };
}

/** Replaces the references that need no document type. */
export function decoded(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w+));/gi, (whole, decimal, hexadecimal, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal);
    const isCharacter = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : whole;
  });
}

const NO_NAMESPACES: ReadonlyMap<string, string> = new Map();

/** The namespaces by prefix, with those that a tag declares. */
export function withDeclared(
  before: ReadonlyMap<string, string> = NO_NAMESPACES,
  { attributes }: Tag,
): ReadonlyMap<string, string> {
  let all: Map<string, string> | undefined;
  for (const [name, value] of attributes) {
    if (name !== 'xmlns' && !name.startsWith('xmlns:')) continue;
    all ??= new Map(before);
    all.set(name.slice('xmlns:'.length), value);
  }
  return all ?? before;
}

/** The qualified name of a tag. */
export function nameAt(bytes: Buffer, from: number): Buffer {
  let end = from;
  while (bytes[end]! > 0x20 && bytes[end] !== GT && bytes[end] !== SLASH) end += 1;
  return Buffer.from(bytes.subarray(from, end));
}
