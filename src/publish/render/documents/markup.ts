// Nearly every text needs no escaping, which one test finds; testing for plain characters is twice as fast as for
// others.
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

/** A text for an element or for an attribute in double quotes. Takes any string, and always gives well-formed XML. */
export function escapeXml(text: string): string {
  if (!NEEDS_CARE.test(text)) return text;
  return text.toWellFormed().replace(EACH, (character) => REFERENCES[character] ?? REPLACEMENT);
}

const TEXTS = new Map(Object.entries(REFERENCES).map(([character, reference]) => [reference, character]));

/** A text that `escapeXml` wrote, as it was: but for what XML cannot hold. */
export function unescapeXml(text: string): string {
  return text.includes('&') ? text.replace(/&[^;]*;/g, (reference) => TEXTS.get(reference) ?? reference) : text;
}

/** The texts of many items, one after the other. */
export function joinTexts<Item>(items: readonly Item[], textOf: (item: Item) => string): string {
  return items.map(textOf).join('');
}
