const MOST_DEPTH = 64;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Parses JSON from outside. @throws SyntaxError for what is no JSON, or is nested more than 64 levels deep */
export function parseJson(text: string): unknown {
  if (depthOf(text) > MOST_DEPTH) throw new SyntaxError(`it is nested more than ${MOST_DEPTH} levels deep`);
  return JSON.parse(text);
}

/** How deep a JSON text is nested. Of another text, any number. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    // "[" and "{", "]" and "}" differ in one bit.
    else if ((code & ~0x20) === 0x5b) deepest = Math.max(deepest, ++depth);
    else if ((code & ~0x20) === 0x5d) depth -= 1;
  }
  return deepest;
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
