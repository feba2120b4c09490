import { TidemarkError } from './errors.ts';
import { keyOfPath, type ResourceKey } from './key.ts';

/** A search among the keys of a set. */
export type KeySearch =
  /** Keys that begin with one of these texts, which are sorted by their bytes. Case-sensitive. */
  | { readonly where: 'beginning'; readonly beginnings: readonly ResourceKey[] }
  /**
   * Keys that contain one of these one or two texts anywhere. They are lower-case: the case of ASCII letters is
   * ignored.
   */
  | { readonly where: 'anywhere'; readonly texts: readonly string[] };

/** The most characters of a search, as they are typed. */
export const MOST_CHARACTERS = 120;
const NOT_IN_A_URI = /[^\u0021-\u007e]+/g;
const BARE_PERCENT = /%(?![0-9a-f]{2})/i;

/**
 * Makes a search from a user's input: a part of a path, decoded (`mäp 1`), or of a URI as it was copied (`m%C3%A4p`,
 * `?id=7`). A text that begins with a slash or `^` is the beginning of a path; after `^` also that of a URI elsewhere.
 * @throws TidemarkError `invalid` when it is too long
 */
export function parseKeySearch(part: string): KeySearch {
  const text = part.toWellFormed();
  if (text.replace(/^\^?\/?/, '').length > MOST_CHARACTERS) {
    const message = `contains is too long: at most ${MOST_CHARACTERS} characters`;
    throw new TidemarkError('invalid', message, { code: 'bad-query', field: 'contains' });
  }
  if (!/^[/^]/.test(text)) return { where: 'anywhere', texts: spellings(text).map((t) => t.toLowerCase()) };
  const begin = text.replace(/^\^/, '');
  const paths = spellings(begin.replace(/^\//, '')).map((path) => `/${path}`);
  const uris = begin.startsWith('/') ? [] : spellings(begin);
  return { where: 'beginning', beginnings: withoutLonger([...new Set([...paths, ...uris])].sort()) };
}

/**
 * Whether a key contains one of the texts (lower-case), ignoring case. A percent-encoded character is a unit: `20` does
 * not match `%20`.
 */
export function holder(texts: readonly string[]): (key: ResourceKey) => boolean {
  const literal = texts.map((text) => text.replace(/[^a-z0-9]/g, '\\$&')).join('|');
  const expression = new RegExp(`^(?:[^%]|%[0-9a-f][^%]|%[^0-9a-f%])*?(?:${literal})`, 'is');
  return (key) => expression.test(key);
}

/** The possible forms of a text in keys: as names of a path, or as in a URI. */
function spellings(text: string): readonly string[] {
  const inPath = keyOfPath(text).slice(1);
  const inUri = text.replace(NOT_IN_A_URI, encodeURIComponent);
  return inUri === inPath || BARE_PERCENT.test(inUri) ? [inPath] : [inPath, inUri];
}

/** Drops a text that begins with another one: it finds nothing more. */
function withoutLonger(sorted: readonly string[]): readonly string[] {
  return sorted.filter((text, at) => !sorted.slice(0, at).some((shorter) => text.startsWith(shorter)));
}
