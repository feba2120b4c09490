import { FIELD_TERMINATOR, SUBFIELD_DELIMITER } from './iso2709.ts';

export const MARCXML_NAMESPACE = 'http://www.loc.gov/MARC21/slim';

/** The text before and after the records of a file. */
export const MARCXML_START = `<?xml version="1.0" encoding="UTF-8"?>\n<collection xmlns="${MARCXML_NAMESPACE}">\n`;
export const MARCXML_END = '</collection>\n';

const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));

export const MARKUP = {
  record: bytesOf(`<record xmlns="${MARCXML_NAMESPACE}">\n<leader>`),
  /** In a collection, which declares the namespace. */
  recordOfCollection: bytesOf('<record>\n<leader>'),
  leaderEnd: bytesOf('</leader>\n'),
  recordEnd: bytesOf('</record>\n'),
  controlField: bytesOf('<controlfield tag="'),
  controlFieldEnd: bytesOf('</controlfield>\n'),
  dataField: bytesOf('<datafield tag="'),
  firstIndicator: bytesOf('" ind1="'),
  secondIndicator: bytesOf('" ind2="'),
  dataFieldEnd: bytesOf('</datafield>\n'),
  subfield: bytesOf('<subfield code="'),
  subfieldEnd: bytesOf('</subfield>'),
  tagEnd: bytesOf('">'),
} as const;

/** A quote is escaped only in attributes. */
export const QUOTE = 0x22;
/** Entities by byte. The carriage return is included, since a parser would turn it into a line feed. */
export const ENTITIES: readonly (Uint8Array | undefined)[] = Array.from({ length: 0x100 }, (_, byte) => {
  const entity = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\r': '&#13;' }[String.fromCharCode(byte)];
  return entity === undefined ? undefined : bytesOf(entity);
});

/** Most bytes of MARCXML for one byte of MARC21: a delimiter and a code become an element. */
const MOST_GROWTH = 18;
/** Bytes of the parts that occur once, and of rounding. */
const FRAME = 250;
/** Length in bytes from which counting is cheaper than allocating unused memory. */
const COUNTED = 30_000;

/** An upper limit for the bytes of a record as MARCXML. */
export function mostBytesOf(bytes: Uint8Array): number {
  if (bytes.length < COUNTED) return MOST_GROWTH * bytes.length + FRAME;
  let most = bytes.length + FRAME;
  for (const byte of bytes) {
    if (byte === SUBFIELD_DELIMITER) most += 2 * MOST_GROWTH;
    // Its directory has 12 more bytes for each field.
    else if (byte === FIELD_TERMINATOR) most += 4 * MOST_GROWTH;
    else if (ENTITIES[byte] !== undefined) most += 5;
  }
  return most;
}
