import { shortened } from '../../../lib/excerpt.ts';

type Metadata = Readonly<Record<string, string | readonly string[]>>;

/** Of all values, so that the head of a request stays below 8 kB. */
const MOST_CHARACTERS = 6_000;
const MOST_OF_VALUE = 1_000;
const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,60}$/;
/** What an item has unless its metadata says otherwise. */
const USUAL: Metadata = { collection: 'opensource', mediatype: 'data' };

/**
 * The headers `x-archive-metaNN-NAME` that give an item its metadata. Values that do not fit are shortened, the last
 * ones left out.
 * @param fixed always as it is
 */
export function metadataHeaders(metadata: Metadata, fixed: Metadata): Readonly<Record<string, string>> {
  // What is fixed comes first, and is not replaced.
  return headersOf('meta', { ...fixed, ...USUAL, ...metadata, ...fixed });
}

/** The headers `x-archive-filemetaNN-NAME`, which the metadata of the file has afterwards. */
export function fileMetadataHeaders(metadata: Metadata): Readonly<Record<string, string>> {
  return headersOf('filemeta', metadata);
}

function headersOf(kind: 'meta' | 'filemeta', metadata: Metadata): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  let characters = 0;
  for (const [name, values] of Object.entries(metadata)) {
    if (!NAME.test(name)) continue;
    const texts = (typeof values === 'string' ? [values] : values).filter((text) => text.trim() !== '');
    for (const [at, text] of texts.slice(0, 100).entries()) {
      const value = headerValue(text);
      characters += value.length;
      if (characters > MOST_CHARACTERS) return headers;
      // IAS3 reads `--` as an underscore.
      headers[`x-archive-${kind}${String(at).padStart(2, '0')}-${name.replaceAll('_', '--')}`] = value;
    }
  }
  return headers;
}

/** ASCII without white space is sent as it is. */
function headerValue(text: string): string {
  const short = shortened(text.toWellFormed(), MOST_OF_VALUE);
  if (/^[\x21-\x7e]+$/.test(short) && !short.startsWith('uri(')) return short;
  const encoded = encodeURIComponent(short).replaceAll(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `uri(${encoded})`;
}
