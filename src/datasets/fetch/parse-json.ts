const MOST_DEPTH = 64;
/** 10,000 files with 100 values each; as objects, they take 100 MB. */
const MOST_VALUES = 1_000_000;
const COMMA = 0x2c;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Parses JSON from outside.
 * @throws SyntaxError for what is no JSON, is nested more than 64 levels deep, or has more than a million values
 */
export function parseJson(text: string): unknown {
  const { depth, values } = extentOf(text);
  if (depth > MOST_DEPTH) throw new SyntaxError(`it is nested more than ${MOST_DEPTH} levels deep`);
  if (values > MOST_VALUES) throw new SyntaxError(`it has more than ${MOST_VALUES.toLocaleString('en-US')} values`);
  return JSON.parse(text);
}

/** How deep a JSON text is nested, and about how many values it has. Of another text, any numbers. */
function extentOf(text: string): { readonly depth: number; readonly values: number } {
  let depth = 0;
  let deepest = 0;
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA) values += 1;
    // "[" and "{", "]" and "}" differ in one bit.
    else if ((code & ~0x20) === 0x5b) {
      deepest = Math.max(deepest, ++depth);
      values += 1;
    } else if ((code & ~0x20) === 0x5d) depth -= 1;
  }
  return { depth: deepest, values };
}

/** The position of the quote that ends a string. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    at = text.indexOf('"', at);
    if (at === -1) return text.length;
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
}
