/** A link of a header Link, or of a linkset in the same format (RFC 8288, 3; RFC 9264, 4.1). */
interface WebLink {
  /** As it is written: perhaps relative. */
  readonly href: string;
  /** Relation types, in lower case. */
  readonly rels: readonly string[];
  readonly type?: string;
  readonly title?: string;
  /** The URL that the link is of, as it is written, when it is another one than that of the header. */
  readonly anchor?: string;
}

const TARGET = /[\s,]*<([^<>]*)>/y;
const PARAMETER = /\s*;\s*([^\s=;,"<>]*)\s*(?:=\s*(?:"([^"\\]*(?:\\.[^"\\]*)*)"|([^\s;,"<>]*)))?/sy;

/** Parses links, up to a number of them. What is no link is skipped. */
export function parseLinks(text: string, most: number): readonly WebLink[] {
  const links: WebLink[] = [];
  for (let at = 0; links.length < most; ) {
    TARGET.lastIndex = at;
    const [target, href] = TARGET.exec(text) ?? [];
    if (target === undefined) {
      const next = text.indexOf('<', at + 1);
      if (next === -1) break;
      at = next;
      continue;
    }
    const { parameters, end } = parametersAt(text, at + target.length);
    at = end;
    const [rel, type, title, anchor] = ['rel', 'type', 'title', 'anchor'].map((name) => parameters.get(name));
    const rels = (rel ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    links.push({
      href: href!.trim(),
      rels,
      ...(type !== undefined && { type }),
      ...(title !== undefined && { title }),
      ...(anchor !== undefined && { anchor }),
    });
  }
  return links;
}

/** Of several parameters with one name, the first counts (RFC 8288, 3.3). */
function parametersAt(text: string, start: number): { parameters: ReadonlyMap<string, string>; end: number } {
  const parameters = new Map<string, string>();
  for (let at = start; ; ) {
    PARAMETER.lastIndex = at;
    const match = PARAMETER.exec(text);
    if (match === null) return { parameters, end: at };
    const [whole, name = '', quoted, bare] = match;
    const value = quoted?.replace(/\\(.)/gs, '$1') ?? bare ?? '';
    if (!parameters.has(name.toLowerCase())) parameters.set(name.toLowerCase(), value);
    at += whole.length;
  }
}
