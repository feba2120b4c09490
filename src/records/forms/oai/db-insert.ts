import { SaxesParser, type SaxesTagNS } from 'saxes';
import { isTidemarkError, TidemarkError } from '../../../core/errors.ts';
import { excerpt } from '../../../lib/excerpt.ts';
import { NSDL_DC } from '../../metadata-format.ts';
import type { Normalization } from '../normalization.ts';
import type { ReadItem } from '../record-form.ts';
import { identifierUris } from './described-uris.ts';
import { ElementWriter } from './element-writer.ts';
import { oaiReadingOf } from './oai-reading.ts';
import { writeOaiRecord } from './oai-record.ts';
import type { Scope } from './start-tag.ts';

/** Most characters of an item: the same as of a record. */
const LONGEST_ITEM = 16 * 1024 * 1024;
const DEEPEST = 256;
const DATESTAMP = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}Z)?$/;

interface DraftItem {
  /** Bytes of the file before it. */
  readonly offset: number;
  readonly start: number;
  readonly texts: Map<string, string>;
  native?: string;
  nsdlDc?: string;
}

/**
 * Reads the items of a dbInsert file of NSDL (docs/nsdl.md), of whatever program, so its own elements may have any
 * namespace, or none. An item without nsdl_dc is an erratum. A file that is not well-formed fails the delivery of a
 * harvest; in an upload of a user, what comes before the fault is read.
 * @throws TidemarkError `invalid` in a harvest, with the byte
 */
export async function* readDbInsert(
  chunks: AsyncIterable<Uint8Array>,
  normalization: Normalization | undefined,
): AsyncGenerator<readonly ReadItem[], void, undefined> {
  const reading = oaiReadingOf(normalization);
  const parser = new DbInsertParser(reading?.requireUri === true);
  let fault: TidemarkError | undefined;
  const items = (parse: () => void): readonly ReadItem[] => {
    try {
      parse();
    } catch (error) {
      if (!isTidemarkError(error, 'invalid') || reading !== undefined) throw error;
      fault = error;
    }
    return parser.take(fault);
  };
  for await (const chunk of chunks) {
    const found = items(() => parser.write(chunk));
    if (found.length > 0) yield found;
    if (fault !== undefined) return;
  }
  const rest = items(() => parser.end());
  if (rest.length > 0) yield rest;
}

class DbInsertParser {
  readonly #requireUri: boolean;
  readonly #sax = new SaxesParser({ xmlns: true });
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  /** The namespaces in scope in each open element of the file itself. */
  readonly #scopes: Scope[] = [new Map()];
  /** That of the file's own elements. */
  #namespace = '';
  #items: ReadItem[] = [];
  #ordinal = 0;
  #depth = 0;
  #item: DraftItem | undefined;
  /** The open child of the item. */
  #field = '';
  #element: { readonly writer: ElementWriter; readonly depth: number } | undefined;
  /** The last chunk, with the characters and bytes before it: for the places of items. */
  #chunk = { text: '', characters: 0, bytes: 0 };

  /** @param requireUri whether each item must have an identifier that is a URI */
  constructor(requireUri: boolean) {
    this.#requireUri = requireUri;
    const sax = this.#sax;
    sax.on('doctype', () => this.#refuse('it has a document type (DOCTYPE): remove it'));
    sax.on('opentag', (tag) => this.#open(tag));
    sax.on('text', (text) => this.#addText(text));
    sax.on('cdata', (text) => this.#addText(text));
    sax.on('closetag', (tag) => this.#close(tag));
  }

  /** @throws TidemarkError `invalid` */
  write(chunk: Uint8Array): void {
    this.#writeText(this.#decoded(() => this.#decoder.decode(chunk, { stream: true })));
    if (this.#item !== undefined && this.#sax.position - this.#item.start > LONGEST_ITEM) {
      this.#refuse(`its item ${this.#ordinal} has more than ${LONGEST_ITEM} characters`);
    }
  }

  /** @throws TidemarkError `invalid` when the file is not complete */
  end(): void {
    this.#writeText(this.#decoded(() => this.#decoder.decode()));
    this.#parse(() => this.#sax.close());
  }

  /** The items that were read since the last call. @param fault the last one, if there is no more */
  take(fault: TidemarkError | undefined): readonly ReadItem[] {
    const items = this.#items;
    this.#items = [];
    if (fault === undefined) return items;
    const reason = `${fault.message}; nothing behind this place is read`;
    return [
      ...items,
      { kind: 'erratum', ordinal: this.#ordinal + 1, offset: this.#offset(), reason, fault: { kind: 'oai-page' } },
    ];
  }

  #decoded(decode: () => string): string {
    try {
      return decode();
    } catch {
      this.#refuse('its bytes are not UTF-8');
    }
  }

  #writeText(text: string): void {
    const { text: before, characters, bytes } = this.#chunk;
    // The beginning of a tag that does not end in a chunk is kept for the next one.
    const tag = before.lastIndexOf('<');
    const end = tag < 0 || before.includes('>', tag) ? before.length : tag;
    this.#chunk = {
      text: before.slice(end) + text,
      characters: characters + end,
      bytes: bytes + Buffer.byteLength(before.slice(0, end)),
    };
    this.#parse(() => this.#sax.write(text));
  }

  #parse(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (error instanceof TidemarkError) throw error;
      this.#refuse(`it is not well-formed XML: ${(error as Error).message}`);
    }
  }

  #refuse(problem: string): never {
    throw new TidemarkError('invalid', `${problem} (byte ${this.#offset()})`);
  }

  /** Number of bytes before the last tag. */
  #offset(): number {
    const { text, characters, bytes } = this.#chunk;
    const read = text.slice(0, Math.max(0, this.#sax.position - characters));
    return bytes + Buffer.byteLength(read.slice(0, Math.max(0, read.lastIndexOf('<'))));
  }

  #open(tag: SaxesTagNS): void {
    const depth = ++this.#depth;
    if (depth > DEEPEST) this.#refuse(`its elements are nested more than ${DEEPEST} deep`);
    if (this.#element === undefined) this.#openOwn(tag, depth);
    else this.#element.writer.open(tag);
  }

  /** Opens an element of the file itself, or one in an item, which is cut out. */
  #openOwn(tag: SaxesTagNS, depth: number): void {
    const around = this.#scopes.at(-1)!;
    this.#scopes.push(new Map([...around, ...Object.entries(tag.ns)]));
    if (depth === 1) this.#namespace = tag.uri;
    if (depth === 1 && tag.local !== 'dbInsert') this.#refuse(`its first element is ${tag.name}: expected dbInsert`);
    if (depth === 2 && tag.local === 'item') this.#openItem();
    if (this.#item === undefined) return;
    if (depth === 3) {
      this.#field = tag.local;
      this.#item.texts.set(tag.local, '');
    }
    // nsdl_dc is an item's own child, or in a child of this name.
    const isOfNsdl = this.#field === 'nsdl_dc' && tag.local === 'nsdl_dc' && tag.uri === NSDL_DC.namespace;
    if (!(isOfNsdl || (depth === 4 && this.#field === 'native'))) return;
    this.#scopes.pop();
    this.#element = { writer: new ElementWriter(around, this.#namespace), depth };
    this.#element.writer.open(tag);
  }

  #openItem(): void {
    this.#ordinal += 1;
    this.#item = { offset: this.#offset(), start: this.#sax.position, texts: new Map() };
  }

  #addText(text: string): void {
    if (this.#element !== undefined) this.#element.writer.addText(text);
    else if (this.#item !== undefined && this.#depth === 3) {
      this.#item.texts.set(this.#field, this.#item.texts.get(this.#field) + text);
    }
  }

  #close(tag: SaxesTagNS): void {
    const depth = this.#depth--;
    if (this.#element === undefined) this.#scopes.pop();
    else {
      this.#element.writer.close(tag);
      if (depth === this.#element.depth) this.#endElement(this.#element.writer);
    }
    if (depth !== 2 || this.#item === undefined) return;
    this.#items.push(readItem(this.#item, this.#ordinal, this.#requireUri));
    this.#item = undefined;
  }

  #endElement(writer: ElementWriter): void {
    const { xml } = writer.end();
    this.#element = undefined;
    if (this.#field === 'native') this.#item!.native ??= xml;
    else this.#item!.nsdlDc ??= xml;
  }
}

/** @param ordinal the number of the item in its file */
function readItem(draft: DraftItem, ordinal: number, requireUri: boolean): ReadItem {
  const { offset, texts, native, nsdlDc } = draft;
  const place = { ordinal, offset };
  const value = (name: string): string => texts.get(name)?.trim() ?? '';
  const [id, datestamp, status] = [value('identifier'), value('datestamp'), value('status')];
  const bad = (reason: string): ReadItem => ({
    kind: 'erratum',
    ...place,
    ...(id !== '' && { id }),
    reason,
    fault: { kind: 'oai-record' },
  });
  if (id === '') return bad('the item has no identifier');
  if (status === 'deleted') return { kind: 'deletion', ...place, id };
  if (status !== '') return bad(`its status is ${excerpt(status)}: expected "deleted"`);
  if (!DATESTAMP.test(datestamp)) return bad(`its datestamp is ${excerpt(datestamp)}: expected 2008-05-11T23:00:02Z`);
  if (native === undefined) return bad('the item has no native metadata');
  if (nsdlDc === undefined) return bad(`the item has no nsdl_dc of ${NSDL_DC.namespace}`);
  if (requireUri && identifierUris(nsdlDc).length === 0) {
    return bad('it has no identifier that is a http, https or ftp URI, which the collection requires');
  }
  const header = { identifier: id, datestamp, setSpecs: [], deleted: false };
  const derived = { format: NSDL_DC.prefix, xml: nsdlDc };
  const bytes = writeOaiRecord({ header, metadata: native, about: [], derived });
  return { kind: 'record', ...place, id, deleted: false, record: { bytes } };
}
