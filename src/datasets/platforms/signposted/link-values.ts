/** A link of a list of links (RFC 8288, 3; RFC 9264, 4.1). */
export interface LinkValue {
  /** As it is written: it may be relative. */
  readonly href: string;
  /** The first value of each parameter, by its name in lower case; `title*` is decoded, as `title`. */
  readonly parameters: ReadonlyMap<string, string>;
}

const TARGET = /[\s,]*<([^>]*)>/y;
const PARAMETER = /\s*;\s*([\w!#$&+\-.^`|~]+\*?)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s";,]*)))?/sy;
const END = /\s*(?:;\s*)?(?:,|$)/y;

/** Parses a list of links. @throws SyntaxError with the position of what is no link */
export function parseLinkValues(text: string): readonly LinkValue[] {
  const links: LinkValue[] = [];
  let position = 0;
  const next = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = position;
    const match = pattern.exec(text);
    if (match !== null) position = pattern.lastIndex;
    return match;
  };
  const end = text.trimEnd().length;
  while (position < end) {
    const target = next(TARGET);
    if (target === null) throw new SyntaxError(`no link begins at character ${position}`);
    const parameters = new Map<string, string>();
    for (let found = next(PARAMETER); found !== null; found = next(PARAMETER)) addParameter(parameters, found);
    if (next(END) === null) throw new SyntaxError(`the link before character ${position} does not end there`);
    links.push({ href: target[1]!.trim(), parameters });
  }
  return links;
}

function addParameter(parameters: Map<string, string>, [, written = '', quoted, token = '']: RegExpExecArray): void {
  const name = written.toLowerCase();
  const value = quoted === undefined ? token : quoted.replace(/\\(.)/gs, '$1');
  const plain = name.replace(/\*$/, '');
  // `title*` says more than `title` (RFC 8288, 3.4.1).
  if (plain !== name) parameters.set(plain, extendedValue(value));
  else if (!parameters.has(plain)) parameters.set(plain, value);
}

/** `UTF-8'en'na%C3%AFve` (RFC 8187). */
function extendedValue(value: string): string {
  const encoded = value.slice(value.lastIndexOf("'") + 1);
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
