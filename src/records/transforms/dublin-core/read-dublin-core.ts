import { SaxesParser, type SaxesTagNS } from 'saxes';
import { TransformError } from '../transform.ts';
import { type DublinCoreValue, normalizedSpace } from './values.ts';

const PREFIXES: ReadonlyMap<string, string> = new Map([
  ['http://purl.org/dc/elements/1.1/', 'dc:'],
  ['http://purl.org/dc/terms/', 'dct:'],
]);

/** A document whose root has elements of Dublin Core as children. */
interface DublinCoreDocument {
  /** The namespace of the root, and its name without a prefix. */
  readonly namespace: string;
  readonly root: string;
  /** In the order of the document, with normalized white space; empty ones are left out. */
  readonly values: readonly DublinCoreValue[];
}

/**
 * Reads the elements of Dublin Core below the root of a document. Others are left out. The text of an element includes
 * that of the elements in it.
 * @throws TransformError `not-xml`
 */
export function readDublinCore(xml: string): DublinCoreDocument {
  const reader = idle ?? new Reader();
  idle = undefined;
  const document = reader.read(xml);
  // A parser that has reported an error cannot be used again.
  idle = reader;
  return document;
}

let idle: Reader | undefined;

class Reader {
  readonly #sax = new SaxesParser({ xmlns: true });
  #namespace = '';
  #root = '';
  #values: DublinCoreValue[] = [];
  #depth = 0;
  #name: string | undefined;
  #language: string | undefined;
  #text = '';

  constructor() {
    const sax = this.#sax;
    const addText = (text: string) => {
      if (this.#name !== undefined) this.#text += text;
    };
    sax.on('error', ({ message }) => {
      throw new TransformError('not-xml', `the document is not XML: ${message}`);
    });
    sax.on('doctype', () => {
      throw new TransformError('not-xml', 'the document has a document type (DOCTYPE): remove it');
    });
    sax.on('opentag', (tag) => this.#open(tag));
    sax.on('text', addText);
    sax.on('cdata', addText);
    sax.on('closetag', () => this.#close());
  }

  read(xml: string): DublinCoreDocument {
    this.#values = [];
    this.#depth = 0;
    this.#sax.write(xml).close();
    return { namespace: this.#namespace, root: this.#root, values: this.#values };
  }

  #open({ uri, local, attributes }: SaxesTagNS): void {
    this.#depth += 1;
    if (this.#depth === 1) {
      this.#namespace = uri;
      this.#root = local;
    } else if (this.#depth === 2) {
      const prefix = PREFIXES.get(uri);
      this.#name = prefix && prefix + local;
      this.#language = attributes['xml:lang']?.value;
      this.#text = '';
    }
  }

  #close(): void {
    this.#depth -= 1;
    if (this.#depth !== 1 || this.#name === undefined) return;
    const text = normalizedSpace(this.#text);
    if (text !== '') this.#values.push({ name: this.#name, text, language: this.#language || undefined });
    this.#name = undefined;
  }
}
