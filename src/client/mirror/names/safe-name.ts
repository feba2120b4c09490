import { createHash } from 'node:crypto';

/** Names that begin so are the mirror's own, in the folder of the copy. */
export const OWN_PREFIX = '.tidemark-mirror';

/** The folder for what cannot be named otherwise. No other name is equal to it. */
export const OTHERS = '_other';

/** Control characters, and what Windows permits in no name. */
const UNSAFE = /[\u0000-\u001f\u007f-\u009f<>:"/\\|?*\u2028\u2029]/g;
/** Windows takes these for devices, whatever follows the first dot. */
const DEVICE = /^(con|prn|aux|nul|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3])(?=\.|$)/i;
/** Some file systems ignore these when they compare names. */
const IGNORED = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;
/** File systems take 255 bytes; some are left for a suffix. */
const MOST_BYTES = 220;

/**
 * A name that every file system takes: the decoded text, with what is unsafe percent-encoded. It is neither empty nor
 * `.` or `..`, and has no slash.
 * @param text a part of a URI, perhaps percent-encoded
 */
export function safeName(text: string): string {
  const decoded = decode(text).toWellFormed().replace(UNSAFE, escaped);
  if (decoded === '') return '_';
  // Windows removes dots and spaces at the end.
  const ended = decoded.replace(/[. ]+$/, escaped);
  const name = isReserved(ended) ? escapedFirst(ended) : ended;
  return Buffer.byteLength(name) > MOST_BYTES ? shortened(name) : name;
}

/** Equal for names that some file system takes for the same one: case, composition of accents, what is ignored. */
export const foldedName = (name: string): string =>
  name.normalize('NFKC').replace(IGNORED, '').toUpperCase().toLowerCase();

/** Adds a text to a name, before its extension. */
export function withSuffix(name: string, suffix: string): string {
  const [, stem = '', extension = ''] = /^(.+?)((?:\.[\w-]{1,10}){0,2})$/su.exec(name) ?? ['', name];
  return `${stem}~${suffix}${extension}`;
}

/** The first hexadecimal digits of a digest of a text. */
export const digestOf = (text: string, digits: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, digits);

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not UTF-8, or a % that encodes nothing.
    return text;
  }
}

function escaped(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}

function isReserved(name: string): boolean {
  const folded = foldedName(name);
  return DEVICE.test(folded) || folded.startsWith(OWN_PREFIX) || folded === OTHERS;
}

function escapedFirst(name: string): string {
  const [first = ''] = name;
  return escaped(first) + name.slice(first.length);
}

/** Keeps the beginning and the extension; a digest of the whole makes it distinct. */
function shortened(name: string): string {
  const [extension = ''] = /\.[\w-]{1,10}$/.exec(name) ?? [];
  let bytes = MOST_BYTES - 20 - extension.length;
  let kept = '';
  for (const character of name) {
    bytes -= Buffer.byteLength(character);
    if (bytes < 0) break;
    kept += character;
  }
  return `${kept.replace(/[. ]+$/, '')}~${digestOf(name, 12)}${extension}`;
}
