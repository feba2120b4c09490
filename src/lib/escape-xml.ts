// Nearly all texts need no escaping, which this one test detects; testing for plain characters is twice as fast as
// testing for others.
const NEEDS_CARE = /[^ !#-%'-;=?-~]/;
const EACH = /[&<>"\u0000-\u001f\ufffe\uffff]/g;
const REFERENCES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  // A parser would turn these into spaces in an attribute, and the last one into a line feed everywhere (XML 1.0, 2.11
  // and 3.3.3).
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/** Replaces a character that XML 1.0 cannot contain (2.2). */
const REPLACEMENT = '\ufffd';

/**
 * Escapes a text for an element or for an attribute in double quotes. Accepts any string, and always returns
 * well-formed XML.
 */
export function escapeXml(text: string): string {
  if (!NEEDS_CARE.test(text)) return text;
  return text.toWellFormed().replace(EACH, (character) => REFERENCES[character] ?? REPLACEMENT);
}

const TEXTS = new Map(Object.entries(REFERENCES).map(([character, reference]) => [reference, character]));

/** Reverses `escapeXml`, except for characters that XML cannot contain. */
export function unescapeXml(text: string): string {
  return text.includes('&') ? text.replace(/&[^;]*;/g, (reference) => TEXTS.get(reference) ?? reference) : text;
}
