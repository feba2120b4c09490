import type { SaxesTagNS } from 'saxes';
import { inheritedDeclarations, type Scope, startTag } from './start-tag.ts';
import { escapeText } from './xml-text.ts';

/** An element that was cut out of a page: a document of its own, in the one way to write it. */
export interface CutElement {
  readonly xml: string;
  /** That of its root. */
  readonly namespace: string;
}

/** Writes an element that saxes parses, canonically: what XML does not distinguish has the same text. */
export class ElementWriter {
  readonly #around: Scope;
  readonly #envelope: string | undefined;
  #root: SaxesTagNS | undefined;
  #body = '';
  /** Of each open element, whether it or one around it declares the default namespace. */
  readonly #hasDefault: boolean[] = [];
  #inheritsDefault = false;

  /**
   * @param around the namespaces in scope around the element
   * @param envelope the namespace of the elements around it, if that is not the one of OAI-PMH
   */
  constructor(around: Scope, envelope?: string) {
    this.#around = around;
    this.#envelope = envelope;
  }

  open(tag: SaxesTagNS): void {
    const declaresDefault = '' in tag.ns || this.#hasDefault.at(-1) === true;
    this.#inheritsDefault ||= tag.prefix === '' && !declaresDefault;
    this.#hasDefault.push(declaresDefault);
    if (this.#root === undefined) this.#root = tag;
    else
      this.#body += startTag({ name: tag.name, declarations: Object.entries(tag.ns), attributes: attributesOf(tag) });
  }

  addText(text: string): void {
    this.#body += escapeText(text);
  }

  /** Adds a comment or a processing instruction. */
  addMarkup(markup: string): void {
    this.#body += markup;
  }

  close({ name }: SaxesTagNS): void {
    this.#hasDefault.pop();
    this.#body += `</${name}>`;
  }

  end(): CutElement {
    const root = this.#root!;
    const attributes = attributesOf(root);
    const text = [root.name, ...attributes.flat(), this.#body];
    const inherited = inheritedDeclarations(this.#around, new Set(Object.keys(root.ns)), {
      ...(this.#envelope !== undefined && { envelope: this.#envelope }),
      inheritsDefault: this.#inheritsDefault,
      mentions: (prefix) => text.some((part) => part.includes(`${prefix}:`)),
    });
    const declarations = [...Object.entries(root.ns), ...inherited];
    return { xml: startTag({ name: root.name, declarations, attributes }) + this.#body, namespace: root.uri };
  }
}

function attributesOf({ attributes }: SaxesTagNS): (readonly [string, string])[] {
  return Object.values(attributes).flatMap(({ name, prefix, value }) =>
    prefix === 'xmlns' || name === 'xmlns' ? [] : [[name, value] as const],
  );
}
