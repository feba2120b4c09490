/** As canonical XML writes these in text, and in attributes; `>` is escaped in both, so that none ends a tag. */
const REFERENCES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
};
const CHARACTERS = new Map(Object.entries(REFERENCES).map(([character, reference]) => [reference, character]));
const REFERENCE = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([\dA-Fa-f]{1,6}));|&/g;

const referenceOf = (character: string): string => REFERENCES[character]!;

/** Escapes the text of an element. White space stays as it is. */
export function escapeText(text: string): string {
  return /[&<>\r]/.test(text) ? text.replace(/[&<>\r]/g, referenceOf) : text;
}

/** Escapes the value of an attribute in double quotes. */
export function escapeValue(text: string): string {
  return /[&<>"\t\n\r]/.test(text) ? text.replace(/[&<>"\t\n\r]/g, referenceOf) : text;
}

/** Reverses `escapeText` and `escapeValue`. */
export function unescapeXml(text: string): string {
  return text.includes('&') ? text.replace(/&[^;]*;/g, (reference) => CHARACTERS.get(reference) ?? reference) : text;
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The text with its references resolved, as any XML may write them; undefined when XML does not know one of them. */
export function resolveReferences(text: string): string | undefined {
  let isKnown = true;
  const resolved = text.replace(REFERENCE, (_, name?: string, decimal?: string, hex?: string) => {
    const known = name === undefined ? characterOf(decimal, hex) : NAMED[name];
    isKnown &&= known !== undefined;
    return known ?? '';
  });
  return isKnown ? resolved : undefined;
}

/** XML 1.0, 2.2. */
function characterOf(decimal: string | undefined, hex: string | undefined): string | undefined {
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
  const isCharacter =
    code === 0x9 ||
    code === 0xa ||
    code === 0xd ||
    (code >= 0x20 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0xfffd) ||
    (code >= 0x10000 && code <= 0x10ffff);
  return isCharacter ? String.fromCodePoint(code) : undefined;
}
