import { DEEPEST } from './record-parser.ts';
import { scopeWithin, type UsualScope, type UsualTag, type UsualTags } from './usual-tag.ts';
import { escapeText, resolveReferences } from './xml-text.ts';

const SLASH = 0x2f;
/** Elements around the one whose body it is: record and metadata. */
const AROUND = 2;

interface OpenElement {
  readonly name: string;
  readonly scope: UsualScope;
}

/** Copies what is in an element: in one piece what is canonical already. */
export class BodyCopy {
  readonly #text: string;
  readonly #tags: UsualTags;
  readonly #needsEscaping: boolean;
  readonly #open: OpenElement[] = [];
  #xml = '';
  #copied = 0;

  /** @param needsEscaping whether the text may have a character that is written otherwise */
  constructor(text: string, tags: UsualTags, needsEscaping: boolean) {
    this.#text = text;
    this.#tags = tags;
    this.#needsEscaping = needsEscaping;
  }

  /** What is behind a start tag, with the end tag; undefined when it has to be parsed. */
  upToEnd(from: number, element: OpenElement): { readonly xml: string; readonly end: number } | undefined {
    this.#open.push(element);
    this.#copied = from;
    for (let at = from; this.#open.length > 0; ) {
      const open = this.#text.indexOf('<', at);
      const close = this.#text.indexOf('>', open);
      if (open < 0 || close < 0 || (this.#needsEscaping && !this.#addRun(at, open))) return undefined;
      at = close + 1;
      const isEnd = this.#text.charCodeAt(open + 1) === SLASH;
      if (!(isEnd ? this.#addEnd(open, close) : this.#addStart(open, close))) return undefined;
      if (this.#open.length === 0) return { xml: this.#xml + this.#text.slice(this.#copied, at), end: at };
    }
    return undefined;
  }

  #addRun(from: number, to: number): boolean {
    const run = this.#text.slice(from, to);
    if (!/[&>]/.test(run)) return true;
    const plain = resolveReferences(run);
    if (plain === undefined) return false;
    this.#replace(from, to, escapeText(plain));
    return true;
  }

  #addEnd(open: number, close: number): boolean {
    const { name } = this.#open.pop()!;
    return close - open - 2 === name.length && this.#text.startsWith(name, open + 2);
  }

  #addStart(open: number, close: number): boolean {
    const tag = this.#tags.at(this.#text, open);
    const scope = tag && scopeWithin(tag, this.#open.at(-1)!.scope);
    if (tag === undefined || scope === undefined) return false;
    if (tag.isEmpty) this.#replace(open, close + 1, `${tag.text}</${tag.name}>`);
    else if (!this.#isCanonical(tag, open, close)) this.#replace(open, close + 1, tag.text);
    return tag.isEmpty || this.#open.push({ name: tag.name, scope }) <= DEEPEST - AROUND;
  }

  #isCanonical({ text }: UsualTag, open: number, close: number): boolean {
    return text.length === close + 1 - open && this.#text.startsWith(text, open);
  }

  #replace(from: number, to: number, xml: string): void {
    this.#xml += this.#text.slice(this.#copied, from) + xml;
    this.#copied = to;
  }
}
