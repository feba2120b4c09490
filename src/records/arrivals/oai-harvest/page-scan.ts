import { FetchFailure } from '../../../client/read/fetcher.ts';
import { ReadFailure } from '../../../client/read/read-failure.ts';
import { OAI_NAMESPACE, otherRoot, STATIC_NAMESPACE } from './read-elements.ts';
import type { OaiError, ScannedPage } from './scanned-page.ts';
import { BANG, decoded, endOfTag, GT, LT, nameAt, QUESTION, SLASH, type Tag, TagParser, withDeclared } from './tags.ts';

interface ScanOptions {
  /** The asked metadata format: a static repository has a list for each. */
  readonly format: string;
  /** Called with the identifier of each header. */
  onIdentifier(identifier: string): void;
}

/** An open element that matters, with the namespaces that it is in. */
interface OpenElement {
  readonly name: string;
  readonly namespaces: ReadonlyMap<string, string>;
}

/** The elements that matter, by the one around them. What else an answer contains is passed over by its depth alone. */
const CHILDREN: Readonly<Record<string, readonly string[]>> = {
  'OAI-PMH': ['responseDate', 'error', 'ListRecords'],
  Repository: ['ListRecords'],
  ListRecords: ['record', 'resumptionToken'],
  record: ['header'],
  header: ['identifier'],
};
/** Those whose text is kept. */
const TEXTS = new Set(['responseDate', 'error', 'resumptionToken', 'identifier']);

/** Bytes of a tag; the rest of a longer one is not waited for. */
const MOST_TAG = 1024 * 1024;
const MOST_TOKEN = 100_000;
const MOST_ERRORS = 20;
const MOST_ERROR_TEXT = 1_000;

/** The place of a record in the path: OAI-PMH, ListRecords, record. */
const DEPTH_OF_RECORD = 3;
const ENDS = { comment: '-->', cdata: ']]>', instruction: '?>' } as const;

/**
 * Scans an answer to ListRecords as it arrives: its envelope, the identifiers of its headers, and its token. Memory
 * does not grow with it. It is many times as fast as a parser, and is not misled by comments, CDATA, other prefixes, or
 * elements of the same names inside of metadata. Malformed metadata do not stop it: it goes on behind the record.
 */
export class PageScan {
  readonly #options: ScanOptions;
  #rest: Buffer = Buffer.alloc(0);
  /** Bytes before `#rest`. */
  #offset = 0;
  /** Bytes of a byte order mark. */
  #mark = 0;
  #inside: keyof typeof ENDS | undefined;
  #depth = 0;
  readonly #path: OpenElement[] = [];
  /** The qualified name of the open record, and how many elements in it have the same. */
  #recordName: Buffer | undefined;
  #nested = 0;
  readonly #tags = new TagParser();
  #text: Buffer[] | undefined;
  #textBytes = 0;
  #code = '';
  #hasRoot = false;
  #isStatic = false;
  #records = 0;
  #responseDate: string | undefined;
  #token: string | undefined;
  #completeListSize: number | undefined;
  #lastIdentifier: string | undefined;
  readonly #errors: OaiError[] = [];

  constructor(options: ScanOptions) {
    this.#options = options;
  }

  /** @throws ReadFailure when it is no answer of OAI-PMH */
  write(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    if (this.#offset === 0) this.#mark = markOf(bytes);
    const end = this.#scan(bytes);
    this.#rest = bytes.subarray(end);
    this.#offset += end;
    if (this.#rest.length > MOST_TAG) throw this.#failure(`a tag has more than ${MOST_TAG} bytes`);
  }

  /** @throws FetchFailure when it is empty, or ends early: another request may get all of it */
  end(): ScannedPage {
    const bytes = this.#offset + this.#rest.length;
    if (bytes === 0) throw new FetchFailure('it is empty');
    const isWhole = this.#hasRoot && this.#depth === 0 && this.#inside === undefined && this.#rest.length === 0;
    if (!isWhole) throw new FetchFailure(`it ends after ${bytes} bytes, before it is complete`);
    return {
      responseDate: this.#responseDate,
      errors: this.#errors,
      records: this.#records,
      lastIdentifier: this.#lastIdentifier,
      token: this.#token,
      completeListSize: this.#completeListSize,
      isStatic: this.#isStatic,
    };
  }

  /** Returns the position of the first byte that has to be read again, with those that follow. */
  #scan(bytes: Buffer): number {
    let at = 0;
    while (at < bytes.length) {
      const next = this.#inside === undefined ? this.#markup(bytes, at) : this.#skip(bytes, at, ENDS[this.#inside]);
      if (next === undefined) return at;
      if (next < 0) return -next;
      at = next;
    }
    return at;
  }

  /** Passes over a comment, CDATA or an instruction. Results as those of `#markup`. */
  #skip(bytes: Buffer, at: number, end: string): number | undefined {
    const found = bytes.indexOf(end, at, 'latin1');
    // The end may be cut: its beginning stays.
    const until = found < 0 ? Math.max(at, bytes.length - end.length + 1) : found;
    if (this.#inside === 'cdata') this.#addText(bytes, at, until);
    if (found < 0) return until === at ? undefined : -until;
    this.#inside = undefined;
    return found + end.length;
  }

  /**
   * Takes the text up to the next markup, and that. Returns the position behind it; when more bytes are needed,
   * undefined, or the negative position from which on they are.
   */
  #markup(bytes: Buffer, at: number): number | undefined {
    // Most tags follow each other, and a search has its price.
    const tag = bytes[at] === LT ? at : bytes.indexOf(LT, at);
    const textEnd = tag < 0 ? bytes.length : tag;
    if (this.#depth === 0) this.#requireBlank(bytes, at, textEnd);
    else this.#addText(bytes, at, textEnd);
    if (tag < 0) return bytes.length;
    const kind = bytes[tag + 1];
    if (kind === undefined) return tag === at ? undefined : -tag;
    if (kind === QUESTION) {
      this.#inside = 'instruction';
      return tag + 2;
    }
    if (kind === BANG) return this.#declaration(bytes, tag);
    const end = endOfTag(bytes, tag + 1);
    if (end < 0) return tag === at ? undefined : -tag;
    if (kind === SLASH) this.#close(bytes, tag, end);
    else this.#open(bytes, tag, end);
    return end + 1;
  }

  #declaration(bytes: Buffer, tag: number): number | undefined {
    const begin = bytes.toString('latin1', tag, tag + 9);
    if (begin.startsWith('<!--')) {
      this.#inside = 'comment';
      return tag + 4;
    }
    if (begin === '<![CDATA[') {
      this.#inside = 'cdata';
      return tag + 9;
    }
    if (begin.length < 9) return tag === 0 ? undefined : -tag;
    if (/^<!doctype/i.test(begin)) {
      const what = 'it has a document type (DOCTYPE), as web pages have: no answer of OAI-PMH has one';
      throw this.#failure(what, tag);
    }
    return tag + 2;
  }

  #open(bytes: Buffer, tag: number, end: number): void {
    const isEmpty = bytes[end - 1] === SLASH;
    const parent = this.#path.at(-1);
    if (this.#path.length === this.#depth) this.#consider(parent, bytes, { tag, end, isEmpty });
    else if (!isEmpty && this.#isNameOfRecord(bytes, tag + 1)) this.#nested += 1;
    if (!isEmpty) this.#depth += 1;
  }

  /** An element whose parent matters. */
  #consider(
    parent: OpenElement | undefined,
    bytes: Buffer,
    { tag, end, isEmpty }: { readonly tag: number; readonly end: number; readonly isEmpty: boolean },
  ): void {
    const parsed = this.#tags.parse(bytes.toString('utf8', tag + 1, isEmpty ? end - 1 : end));
    const namespaces = withDeclared(parent?.namespaces, parsed);
    if (parent === undefined) this.#beginRoot(parsed, namespaces, tag);
    else if (!this.#matters(parent, parsed, namespaces)) {
      if (!isEmpty && this.#isNameOfRecord(bytes, tag + 1)) this.#nested += 1;
      return;
    }
    this.#begin(parsed);
    if (isEmpty) {
      this.#end(parsed.local);
      return;
    }
    this.#path.push({ name: parsed.local, namespaces });
    if (parsed.local !== 'record') return;
    this.#recordName = nameAt(bytes, tag + 1);
    this.#nested = 0;
  }

  #beginRoot(parsed: Tag, namespaces: ReadonlyMap<string, string>, tag: number): void {
    if (this.#hasRoot) throw this.#failure('something follows the end of its root element', tag);
    const namespace = namespaces.get(parsed.prefix);
    this.#isStatic = parsed.local === 'Repository' && namespace === STATIC_NAMESPACE;
    if (!this.#isStatic && !(parsed.local === 'OAI-PMH' && namespace === OAI_NAMESPACE)) throw otherRoot(parsed.local);
    this.#hasRoot = true;
  }

  #matters(parent: OpenElement, { local, prefix, attributes }: Tag, namespaces: ReadonlyMap<string, string>): boolean {
    if (!CHILDREN[parent.name]?.includes(local)) return false;
    const isOfStatic = this.#isStatic && local === 'ListRecords';
    if (namespaces.get(prefix) !== (isOfStatic ? STATIC_NAMESPACE : OAI_NAMESPACE)) return false;
    return !isOfStatic || attributes.get('metadataPrefix') === this.#options.format;
  }

  #begin({ local, attributes }: Tag): void {
    if (local === 'header') this.#records += 1;
    if (!TEXTS.has(local)) return;
    this.#text = [];
    this.#textBytes = 0;
    this.#code = attributes.get('code') ?? '';
    const size = attributes.get('completeListSize') ?? '';
    if (local === 'resumptionToken' && /^\d{1,15}$/.test(size)) this.#completeListSize = Number(size);
  }

  #close(bytes: Buffer, tag: number, end: number): void {
    if (this.#depth === 0) throw this.#failure('it is not well-formed: an element ends that was not begun', tag);
    if (this.#isNameOfRecord(bytes, tag + 2)) {
      // Whatever is wrong inside of a record, it ends here.
      if (this.#nested === 0) {
        this.#closeRecord();
        return;
      }
      this.#nested -= 1;
    }
    const isInRecord = this.#recordName !== undefined;
    if (isInRecord && this.#depth <= DEPTH_OF_RECORD) return;
    if (!isInRecord && this.#path.length === this.#depth) this.#requireName(bytes.toString('utf8', tag + 2, end), tag);
    this.#depth -= 1;
    if (this.#path.length > this.#depth) this.#end(this.#path.pop()!.name);
  }

  #closeRecord(): void {
    this.#path.length = DEPTH_OF_RECORD - 1;
    this.#depth = DEPTH_OF_RECORD - 1;
    this.#recordName = undefined;
    this.#text = undefined;
  }

  /** An element that matters must end by its name: otherwise, what follows would be taken for something else. */
  #requireName(text: string, tag: number): void {
    const open = this.#path.at(-1)!.name;
    const name = text.trim().replace(/^[^:]*:/, '');
    if (name !== open) throw this.#failure(`it is not well-formed: <${open}> ends as </${name.slice(0, 100)}>`, tag);
  }

  #end(name: string): void {
    const text = this.#text;
    if (text === undefined || !TEXTS.has(name)) return;
    this.#text = undefined;
    const value = decoded(Buffer.concat(text).toString('utf8')).trim();
    if (name === 'resumptionToken') this.#token = value;
    else if (name === 'responseDate') this.#responseDate = value.slice(0, 100);
    else if (name === 'error') this.#addError(value.slice(0, MOST_ERROR_TEXT));
    else {
      this.#lastIdentifier = value;
      this.#options.onIdentifier(value);
    }
  }

  #addError(text: string): void {
    if (this.#errors.length < MOST_ERRORS) this.#errors.push({ code: this.#code.slice(0, 100), text });
  }

  /** A reference may be cut, so they are replaced at the end of the text; in CDATA, there are none. */
  #addText(bytes: Buffer, from: number, to: number): void {
    if (this.#text === undefined || from === to || this.#path.length !== this.#depth) return;
    this.#textBytes += to - from;
    if (this.#textBytes > MOST_TOKEN) {
      const what = `<${this.#path.at(-1)?.name}> has more than ${MOST_TOKEN / 1000} kB`;
      throw this.#failure(what, from);
    }
    const text = bytes.toString('latin1', from, to);
    this.#text.push(Buffer.from(this.#inside === 'cdata' ? text.replaceAll('&', '&amp;') : text, 'latin1'));
  }

  #requireBlank(bytes: Buffer, from: number, to: number): void {
    for (let at = from; at < to; at++) {
      const byte = bytes[at]!;
      if (byte === 0x20 || (byte >= 0x09 && byte <= 0x0d) || this.#offset + at < this.#mark) continue;
      if (this.#hasRoot) throw this.#failure('text follows the end of its root element', at);
      throw this.#failure('it begins with text, and not with XML', at);
    }
  }

  #isNameOfRecord(bytes: Buffer, at: number): boolean {
    const name = this.#recordName;
    if (name === undefined || bytes[at] !== name[0]) return false;
    const end = at + name.length;
    if (bytes.compare(name, 0, name.length, at, end) !== 0) return false;
    const after = bytes[end]!;
    return after === GT || after === SLASH || after <= 0x20;
  }

  #failure(what: string, at = 0): ReadFailure {
    return new ReadFailure(`${what} (byte ${this.#offset + at})`);
  }
}

/** Number of bytes of a byte order mark. @throws ReadFailure for that of another encoding */
function markOf(bytes: Buffer): number {
  const mark = bytes.toString('latin1', 0, 3);
  if (/^(?:\u00fe\u00ff|\u00ff\u00fe)/.test(mark)) throw new ReadFailure('it is in UTF-16, and not in UTF-8');
  return mark === '\u00ef\u00bb\u00bf' ? 3 : 0;
}
