/** A value of an element of Dublin Core. */
export interface DublinCoreValue {
  /** With the prefix that we write, whatever the document has: `dc:title`, `dct:abstract`. */
  readonly name: string;
  readonly text: string;
  /** Its `xml:lang`. */
  readonly language?: string | undefined;
}

/** What people and programs write into a field for which they have no value, in lower case. */
const USELESS: ReadonlySet<string> = new Set([
  'n/a',
  'n.a',
  'nil',
  'none',
  'none given',
  'none provided',
  'none specified',
  'not applicable',
  'not available',
  'not given',
  'not known',
  'not provided',
  'not specified',
  'no value',
  'null',
  'tba',
  'tbd',
  'to be added',
  'to be announced',
  'to be determined',
  'undefined',
  'unknown',
  'unspecified',
]);
/** No useless value is longer, with what may be around it. */
const LONGEST = 24;
const ODD_SPACE = /[\t\r\n]|^ | $| {2}/;
const AROUND = /^[\s[(<"']+|[\s\])>"'.:;,!]+$/g;
const ONLY_SIGNS = /^[\s\-–—…_.,:;?!*/\\#+=~|()[\]{}<>"'`]*$/;

/** Makes one space of each run of XML's white space, and none at the ends. */
export function normalizedSpace(text: string): string {
  return ODD_SPACE.test(text) ? text.replaceAll(/[ \t\r\n]+/g, ' ').replaceAll(/^ | $/g, '') : text;
}

/** Whether a value says nothing: it has only signs, or words such as "none", also in brackets or with a full stop. */
export function isUseless(value: string): boolean {
  if (value.length > LONGEST) return value.trim() === '';
  return ONLY_SIGNS.test(value) || USELESS.has(value.replaceAll(AROUND, '').toLowerCase());
}
