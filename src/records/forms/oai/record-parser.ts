import { SaxesParser, type SaxesTagNS } from 'saxes';
import { excerpt } from '../../../lib/excerpt.ts';
import type { CutRecord } from './cut-record.ts';
import { type CutElement, ElementWriter } from './element-writer.ts';
import { OAI_NAMESPACE } from './oai-record.ts';
import type { Scope } from './start-tag.ts';

const XSI = 'http://www.w3.org/2001/XMLSchema-instance';
/** Elements in each other, that of the record included. */
export const DEEPEST = 256;

/** Thrown for a record that is not well-formed. */
export class MalformedRecord extends Error {
  /** Characters of the record before the place of the fault. */
  readonly position: number;

  constructor(message: string, position: number) {
    super(message);
    this.position = position;
  }
}

/** The parts of a record in their order (OAI-PMH.xsd, recordType), and the fields of a header (headerType). */
const PARTS = ['header', 'metadata', 'about'];
const FIELDS = ['identifier', 'datestamp', 'setSpec'];

/**
 * Parses one record with any parser's care, however it is written; `UsualRecords` is faster for most. References to
 * entities are refused but for those of XML itself: none is ever resolved.
 */
export class RecordParser {
  readonly #sax: SaxesParser<{ readonly xmlns: true; readonly additionalNamespaces: Record<string, string> }>;
  /** The namespaces in scope within the record, and within its open child. */
  #scope: Scope;
  #scopeOfPart: Scope;
  readonly #fields: [name: string, text: string][] = [];
  readonly #metadata: CutElement[] = [];
  readonly #about: CutElement[] = [];
  #depth = 0;
  /** The open child of the record, and the parts and fields that came. */
  #part = '';
  readonly #parts: string[] = [];
  #element: ElementWriter | undefined;
  #elements = 0;
  #deleted = false;
  #problem: string | undefined;
  #end: number | undefined;

  /** @param scope the namespaces in scope around the record */
  constructor(scope: Scope) {
    this.#scope = scope;
    this.#scopeOfPart = scope;
    const sax = new SaxesParser({ xmlns: true, additionalNamespaces: Object.fromEntries(scope) });
    this.#sax = sax;
    // With more handlers than six, V8 keeps the properties of the parser in a table, which is slow.
    sax.on('opentag', (tag) => this.#open(tag));
    sax.on('text', (text) => this.#addText(text));
    sax.on('cdata', (text) => this.#addText(text));
    sax.on('comment', (text) => this.#element?.addMarkup(`<!--${text}-->`));
    sax.on('processinginstruction', ({ target, body }) => this.#element?.addMarkup(`<?${target} ${body}?>`));
    sax.on('closetag', (tag) => this.#close(tag));
  }

  /** Characters of the record; undefined before its end came. */
  get end(): number | undefined {
    return this.#end;
  }

  /** Text behind the end is ignored. @throws MalformedRecord */
  write(text: string): void {
    try {
      this.#sax.write(text);
    } catch (error) {
      if (this.#end !== undefined) return;
      throw new MalformedRecord((error as Error).message, Math.max(this.#sax.position - 1, 0));
    }
  }

  /** The record, after its end. */
  result(): CutRecord {
    const [identifier = '', datestamp = ''] = ['identifier', 'datestamp'].map(
      (wanted) => this.#fields.find(([name]) => name === wanted)?.[1],
    );
    // Of two headers in one record, none is taken for the one of it: each is of a record that was seen.
    const isOne = this.#fields.filter(([name]) => name === 'identifier').length < 2;
    const setSpecs = this.#fields.filter(([name]) => name === 'setSpec').map(([, text]) => text);
    const deleted = this.#deleted;
    if (this.#parts[0] !== 'header') this.#fault('it has no header');
    const [metadata] = this.#metadata;
    return {
      identifier: isOne ? identifier : '',
      datestamp,
      setSpecs,
      deleted,
      metadata,
      about: this.#about,
      problem: this.#problem,
    };
  }

  #fault(problem: string): void {
    this.#problem ??= problem;
  }

  #open(tag: SaxesTagNS): void {
    const depth = ++this.#depth;
    if (depth > DEEPEST) this.#fault(`its elements are nested more than ${DEEPEST} deep`);
    if (depth === 1) this.#openRecord(tag);
    else if (depth === 2) this.#openPart(tag);
    else if (this.#part === 'header') this.#openField(tag);
    else this.#openElement(tag);
  }

  #openRecord(tag: SaxesTagNS): void {
    if (tag.uri !== OAI_NAMESPACE) this.#fault(`it is in the namespace ${excerpt(tag.uri)}: expected ${OAI_NAMESPACE}`);
    this.#scope = new Map([...this.#scope, ...Object.entries(tag.ns)]);
    this.#requireNoAttribute(tag);
  }

  #openPart(tag: SaxesTagNS): void {
    const last = this.#parts.at(-1) ?? '';
    this.#part = nameOf(tag);
    this.#elements = 0;
    this.#scopeOfPart = new Map([...this.#scope, ...Object.entries(tag.ns)]);
    const at = PARTS.indexOf(this.#part);
    const isNext = this.#part === 'about' ? last !== '' : at === PARTS.indexOf(last) + 1;
    if (at < 0 || !isNext) this.#fault(`it has ${tag.name} ${last === '' ? 'first' : `after ${last}`}: ${ORDER}`);
    this.#parts.push(this.#part);
    this.#requireNoAttribute(tag, this.#part === 'header' ? 'status' : undefined);
    if (this.#part === 'header') this.#openHeader(tag);
  }

  #openHeader({ attributes: { status } }: SaxesTagNS): void {
    this.#deleted = status?.value === 'deleted';
    if (status !== undefined && !this.#deleted)
      this.#fault(`its status is ${excerpt(status.value)}: expected "deleted"`);
  }

  #openField(tag: SaxesTagNS): void {
    const name = nameOf(tag);
    const at = FIELDS.indexOf(name);
    const last = FIELDS.indexOf(this.#fields.at(-1)?.[0] ?? '');
    const isNext = at === last + 1 || (name === 'setSpec' && last > 0);
    if (this.#depth === 3 && at > last + 1) this.#fault(`its header has no ${FIELDS[last + 1]}`);
    if (this.#depth > 3 || at < 0 || !isNext) this.#fault(`its header has ${tag.name} where it has no place`);
    this.#requireNoAttribute(tag);
    this.#fields.push([name, '']);
  }

  #openElement(tag: SaxesTagNS): void {
    if (this.#depth === 3) {
      this.#elements += 1;
      if (this.#elements > 1) this.#fault(`its ${this.#part} has more than one element`);
      this.#element = new ElementWriter(this.#scopeOfPart);
    }
    this.#element?.open(tag);
  }

  #addText(text: string): void {
    if (this.#element !== undefined) this.#element.addText(text);
    else if (this.#depth === 3 && this.#part === 'header') this.#fields.at(-1)![1] += text;
    else if (/[^ \t\n\r]/.test(text)) this.#fault(`it has the text ${excerpt(text.trim())} between its elements`);
  }

  #close(tag: SaxesTagNS): void {
    const depth = this.#depth--;
    if (depth === 1) this.#end ??= this.#sax.position;
    else if (depth === 2) this.#closePart();
    else if (this.#part === 'header') {
      const field = this.#fields.at(-1)!;
      field[1] = field[1].replace(/^[ \t\n\r]+|[ \t\n\r]+$/g, '');
    } else this.#element?.close(tag);
    if (depth !== 3 || this.#element === undefined) return;
    (this.#part === 'metadata' ? this.#metadata : this.#about).push(this.#element.end());
    this.#element = undefined;
  }

  #closePart(): void {
    if (this.#part !== 'header' && this.#elements === 0) this.#fault(`its ${this.#part} has no element`);
    this.#part = '';
  }

  /** Those of schema instances are allowed everywhere. */
  #requireNoAttribute({ name, attributes }: SaxesTagNS, allowed?: string): void {
    for (const { name: attribute, prefix, uri } of Object.values(attributes)) {
      if (prefix === 'xmlns' || attribute === 'xmlns' || uri === XSI || attribute === allowed) continue;
      this.#fault(`its ${name} has the attribute ${attribute}, which OAI-PMH does not have`);
    }
  }
}

const ORDER = 'expected a header, then metadata, then about';

/** The name of an element of OAI-PMH; of another one, a name that OAI-PMH does not have. */
function nameOf({ uri, local }: SaxesTagNS): string {
  return uri === OAI_NAMESPACE ? local : `{${uri}}${local}`;
}
