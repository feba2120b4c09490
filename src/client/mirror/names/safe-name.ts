import { createHash } from 'node:crypto';

/** Prefix of the mirror's own names in the folder of the copy. */
export const OWN_PREFIX = '.tidemark-mirror';

/** The folder for resources that cannot have any other path. No name of a resource is equal to it. */
export const OTHERS = '_other';

/** Control characters, and characters that Windows forbids in names. */
const UNSAFE = /[\u0000-\u001f\u007f-\u009f<>:"/\\|?*\u2028\u2029]/g;
/** Windows treats these as devices, whatever follows the first dot. */
const DEVICE = /^(con|prn|aux|nul|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3])(?=\.|$)/i;
/** Some file systems ignore these when they compare names. */
const IGNORED = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;
/** File systems take 255 bytes; some are left for a suffix. */
const MOST_BYTES = 220;

/**
 * Makes a name that every file system accepts: the decoded text, with unsafe characters percent-encoded. It is never
 * empty, `.` or `..`, and has no slash.
 * @param text a part of a URI; it may be percent-encoded
 */
export function safeName(text: string): string {
  const safe = decoded(text).toWellFormed().replace(UNSAFE, escaped);
  if (safe === '') return '_';
  // Windows removes trailing dots and spaces.
  const ended = safe.replace(/[. ]+$/, escaped);
  const name = isReserved(ended) ? escapedFirst(ended) : ended;
  return Buffer.byteLength(name) > MOST_BYTES ? shortened(name) : name;
}

/**
 * Folds a name: the result is equal for names that some file system treats as the same. It ignores case, the
 * composition of accents, and invisible characters.
 */
export const foldedName = (name: string): string =>
  // Most names are of ASCII, where only case matters.
  /^[ -~]*$/.test(name) ? name.toLowerCase() : name.normalize('NFKC').replace(IGNORED, '').toUpperCase().toLowerCase();

/** Inserts a text before the extension of a name. */
export function withSuffix(name: string, suffix: string): string {
  const [, stem = '', extension = ''] = /^(.+?)((?:\.[\w-]{1,10}){0,2})$/su.exec(name) ?? ['', name];
  return `${stem}~${suffix}${extension}`;
}

/** The first hexadecimal digits of the SHA-256 digest of a text. */
export const digestOf = (text: string, digits: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, digits);

/** The text that a part of a URI encodes. */
export function decoded(text: string): string {
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

/** Keeps the beginning and the extension. A digest of the whole name makes the result distinct. */
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
