import type { CutRecord } from './cut-record.ts';
import type { CutElement } from './element-writer.ts';
import { OAI_NAMESPACE } from './oai-record.ts';
import { inheritedDeclarations, type Scope, startTag } from './start-tag.ts';
import { BodyCopy } from './usual-body.ts';
import { scopeWithin, type UsualScope, type UsualTag, UsualTags } from './usual-tag.ts';

/** Comments, sections of CDATA and whatever else begins so; characters that XML does not have. */
const UNUSUAL = /<[!?]|\]\]>|[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/;
/** Whether a text may have a character that is written otherwise. */
const NEEDS_ESCAPING = /&|>[^<>]*>/;
/** White space of XML, after line ends were normalized. */
const S = '[ \\t\\n]*';

interface Cut {
  readonly element: CutElement;
  /** The position behind it. */
  readonly end: number;
}

/**
 * Cuts records that are written as most are, several times faster than `RecordParser`: the same tags come again and
 * again, and what is between them is already canonical. It makes the same of a record, or leaves it to the parser.
 */
export class UsualRecords {
  readonly #scope: UsualScope;
  readonly #tags = new UsualTags();
  readonly #head: RegExp;
  readonly #metadataEnd: RegExp;
  readonly #aboutStart: RegExp;
  readonly #aboutEnd: RegExp;
  readonly #recordEnd: string;
  #needsEscaping = false;

  /** @param prefix of the namespace of OAI-PMH; empty where it is the default one */
  constructor(scope: Scope, prefix: string) {
    this.#scope = { namespaces: scope, ownsDefault: false };
    const p = prefix === '' ? '' : `${RegExp.escape(prefix)}:`;
    const field = (name: string) => `<${p}${name}>([^<&>]*)</${p}${name}>${S}`;
    this.#head = new RegExp(
      `<${p}record>${S}<${p}header( status="deleted")?>${S}${field('identifier')}${field('datestamp')}` +
        `((?:<${p}setSpec>[^<&>]*</${p}setSpec>${S})*)</${p}header>${S}(<${p}metadata>${S})?`,
      'y',
    );
    this.#metadataEnd = new RegExp(`${S}</${p}metadata>${S}`, 'y');
    this.#aboutStart = new RegExp(`<${p}about>${S}`, 'y');
    this.#aboutEnd = new RegExp(`${S}</${p}about>${S}`, 'y');
    this.#recordEnd = `</${prefix === '' ? '' : `${prefix}:`}record>`;
  }

  /** The record that a text is, and nothing else; undefined when it has to be parsed. */
  read(given: string): CutRecord | undefined {
    const text = given.includes('\r') ? given.replace(/\r\n?/g, '\n') : given;
    this.#head.lastIndex = 0;
    const head = this.#head.exec(text);
    if (head === null || UNUSUAL.test(text)) return undefined;
    this.#needsEscaping = NEEDS_ESCAPING.test(text);
    const [, status, identifier = '', datestamp = '', specs = '', metadataStart] = head;
    let at = this.#head.lastIndex;
    let metadata: Cut | undefined;
    if (metadataStart !== undefined) {
      metadata = this.#element(text, at);
      if (metadata === undefined) return undefined;
      at = after(this.#metadataEnd, text, metadata.end);
    }
    const about: CutElement[] = [];
    for (let start = after(this.#aboutStart, text, at); start > 0; start = after(this.#aboutStart, text, at)) {
      const one = this.#element(text, start);
      if (one === undefined) return undefined;
      about.push(one.element);
      at = after(this.#aboutEnd, text, one.end);
    }
    if (at <= 0 || !text.startsWith(this.#recordEnd, at) || at + this.#recordEnd.length !== text.length)
      return undefined;
    const header = { identifier: trimmed(identifier), datestamp: trimmed(datestamp), setSpecs: valuesOf(specs) };
    return { ...header, deleted: status !== undefined, metadata: metadata?.element, about };
  }

  /** The element at a position; undefined where it is not one, or an unusual one. */
  #element(text: string, from: number): Cut | undefined {
    const root = this.#tags.at(text, from);
    const rootText = root && this.#rootText(root);
    const scope = root && scopeWithin(root, this.#scope);
    if (root === undefined || rootText === undefined || scope === undefined) return undefined;
    const start = text.indexOf('>', from) + 1;
    const body = root.isEmpty
      ? { xml: `</${root.name}>`, end: start }
      : new BodyCopy(text, this.#tags, this.#needsEscaping).upToEnd(start, { name: root.name, scope });
    if (body === undefined) return undefined;
    const xml = rootText + body.xml;
    for (const [prefix, uri] of this.#scope.namespaces) {
      if (uri === OAI_NAMESPACE && prefix !== '' && xml.includes(`${prefix}:`)) return undefined;
    }
    return { element: { xml, namespace: scope.namespaces.get(root.prefix)! }, end: body.end };
  }

  /** The start tag of an element that is cut out. */
  #rootText(tag: UsualTag): string {
    if (tag.root?.around !== this.#scope) {
      const own = new Set(tag.declarations.map(([prefix]) => prefix));
      const usage = { inheritsDefault: false, mentions: () => false };
      const inherited = inheritedDeclarations(this.#scope.namespaces, own, usage);
      const { name, attributes } = tag;
      const text = startTag({ name, declarations: [...tag.declarations, ...inherited], attributes });
      tag.root = { around: this.#scope, text };
    }
    return tag.root!.text;
  }
}

/** The position behind a pattern that is next; 0 when it is not. */
function after(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : 0;
}

function valuesOf(specs: string): readonly string[] {
  return specs === '' ? [] : [...specs.matchAll(/>([^<]*)<\//g)].map(([, value]) => trimmed(value!));
}

const trimmed = (text: string): string => text.replace(/^[ \t\n]+|[ \t\n]+$/g, '');
