import { excerpt } from '../../../lib/excerpt.ts';
import type { CutRecord } from './cut-record.ts';
import { OAI_NAMESPACE } from './oai-record.ts';
import { LONGEST_TOKEN, type PageEnvelope, PageFault, xmlProblem } from './page-envelope.ts';
import { hex, notUtf8, PageText } from './page-text.ts';
import { probableEnd } from './probable-end.ts';
import { MalformedRecord, RecordParser } from './record-parser.ts';
import type { Scope } from './start-tag.ts';
import { UsualRecords } from './usual-records.ts';
import { unescapeXml } from './xml-text.ts';

/** Most characters of a record, and of the bytes that it has. */
const LONGEST_RECORD = 16 * 1024 ** 2;
const TOO_LONG = `it has more than ${LONGEST_RECORD / 1024 ** 2} MB`;
/**
 * Characters of a page that are parsed in vain, behind the probable ends of records that had no end. Then the first
 * probable end is taken at once: otherwise, each such record would be searched to the end of the page.
 */
const MOST_IN_VAIN = 2 * LONGEST_RECORD;
/** Characters that are kept of a text in which the end of a record may have begun. */
const TAIL = 1_000;

/** `offset` is the number of bytes before it in the page. */
export type PagePart = { readonly offset: number } & (
  | { readonly kind: 'record'; readonly record: CutRecord }
  | {
      readonly kind: 'unreadable';
      readonly id: string | undefined;
      readonly reason: string;
      readonly isMalformed: boolean;
    }
  /** A fault of the page: nothing behind it is read. */
  | { readonly kind: 'fault'; readonly reason: string }
);

const P = '(?:[\\w.-]+:)?';
const RECORD = /<(?:([\w.-]+):)?record[\s/>]/y;
const IDENTIFIER = new RegExp(`<${P}identifier(?:\\s[^<>]*)?>([^<]*)</`);
const HEADER_END = new RegExp(`</?${P}(?:metadata|about)[\\s/>]|</${P}(?:header|record)[\\s>]`);
const HEADERS = [new RegExp(`<${P}header[\\s>]`, 'g'), new RegExp(`</${P}header\\s*>`, 'g')];
const NOT_BLANK = /[^ \t\n\r]/g;

/** A record whose end has not come. Positions are those in the text that has it at the beginning. */
interface OpenRecord {
  readonly scope: Scope;
  /** Where its end is searched from, and the length of the text from which on: so that a long one is read few times. */
  searched: number;
  searchAt: number;
  /** The first probable end that was not its end. */
  firstEnd?: number;
  parser?: RecordParser;
  /** How much the parser was given. */
  parsed: number;
  /** What is known of one that is too long: its text is not kept. */
  tooLong?: PagePart;
}

interface QuickReader {
  /** The record that a text is, and nothing else; undefined when it has to be parsed. */
  read(text: string): CutRecord | undefined;
}

/** Cuts a page into its records as it arrives, in memory that does not grow with it. */
export class PageCutter {
  readonly #page = new PageText();
  readonly envelope: PageEnvelope;
  readonly #reader: QuickReader | undefined;
  #record: OpenRecord | undefined;
  #usual: { readonly scope: Scope; readonly records: UsualRecords } | undefined;
  #parts: PagePart[] = [];
  #isEnd = false;
  /** Number of characters of the text that are done. */
  #at = 0;
  /** Where the last token outside of records began. */
  #token = 0;
  #inVain = 0;
  hasFailed = false;

  /** @param reader reads records in place of `UsualRecords` */
  constructor(envelope: PageEnvelope, reader?: QuickReader) {
    this.envelope = envelope;
    this.#reader = reader;
  }

  push(chunk: Uint8Array): void {
    this.#page.push(chunk);
    this.#work();
  }

  end(): void {
    this.#page.end();
    this.#isEnd = true;
    this.#work(() => this.envelope.end());
  }

  /** What was cut since the last call. */
  take(): readonly PagePart[] {
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }

  #work(atEnd = () => {}): void {
    if (this.hasFailed) return;
    try {
      while (this.#record === undefined ? this.#stepBetween() : this.#stepInRecord(this.#record));
      this.#drop(this.#at);
      atEnd();
    } catch (error) {
      if (!(error instanceof PageFault)) throw error;
      this.hasFailed = true;
      const offset = this.#page.byteAt(this.#token);
      const invalid = error.message.includes('disallowed') ? this.#page.invalidFrom(offset) : undefined;
      this.#parts.push({ kind: 'fault', offset, reason: invalid ?? error.message });
    }
  }

  #drop(characters: number): void {
    this.#page.drop(characters);
    this.#at -= characters;
    this.#token = this.#at;
  }

  /** Returns whether it has made progress. */
  #stepBetween(): boolean {
    const { text } = this.#page;
    const scope = this.envelope.scopeOfNext;
    NOT_BLANK.lastIndex = this.#at;
    const from = scope === undefined ? this.#at : (NOT_BLANK.exec(text)?.index ?? text.length);
    if (from > this.#at) {
      this.envelope.writeBetween(this.#next(from));
      return true;
    }
    const close = text.indexOf('>', from);
    if (close < 0) return this.#waitForToken();
    RECORD.lastIndex = from;
    if (scope !== undefined && RECORD.test(text)) this.#beginRecord(scope);
    else if (scope !== undefined && text.startsWith('<!--', from)) return this.#skipTo('-->', from + 4);
    else if (scope !== undefined && text.startsWith('<?', from)) return this.#skipTo('?>', from + 2);
    else this.envelope.write(this.#next(close + 1));
    return true;
  }

  #next(to: number): string {
    this.#token = this.#at;
    this.#at = to;
    return this.#page.text.slice(this.#token, to);
  }

  /** Takes a comment or a processing instruction between records. */
  #skipTo(end: string, from: number): boolean {
    const at = this.#page.text.indexOf(end, from);
    if (at < 0) return this.#waitForToken();
    this.envelope.writeBetween(this.#next(at + end.length));
    return true;
  }

  #waitForToken(): boolean {
    const { text } = this.#page;
    if (text.length - this.#at > LONGEST_TOKEN) {
      throw new PageFault(`no tag and no text outside of records ends within ${LONGEST_TOKEN} characters`);
    }
    if (this.#isEnd && text.length > this.#at) this.envelope.write(this.#next(text.length));
    return false;
  }

  #beginRecord(scope: Scope): void {
    this.#drop(this.#at);
    this.#record = { scope, searched: 1, searchAt: 0, parsed: 0 };
  }

  /** Returns whether it has made progress. */
  #stepInRecord(record: OpenRecord): boolean {
    const { text } = this.#page;
    if (text.length < record.searchAt && !this.#isEnd) return false;
    const end = this.#findEnd(record);
    if (end === undefined) return this.#isEnd ? this.#breakOff(record) : this.#wait(record);
    if (record.tooLong !== undefined) return this.#finish(record.tooLong, end);
    if (record.parser === undefined) {
      const usual = (this.#reader ?? this.#usualRecords(record.scope))?.read(text.slice(0, end));
      if (usual !== undefined) return this.#finishRecord(usual, end);
      record.parser = new RecordParser(record.scope);
    }
    return this.#parse(record, record.parser, end);
  }

  #findEnd(record: OpenRecord): number | undefined {
    const { text } = this.#page;
    const found = probableEnd(text, record.searched);
    record.searched = found?.searched ?? Math.max(record.searched, text.length - TAIL);
    return found?.end;
  }

  /** Waits for the rest of a record, but not for one that is too long. */
  #wait(record: OpenRecord): boolean {
    const { length } = this.#page.text;
    record.searchAt = length + length / 8;
    if (length <= LONGEST_RECORD) return false;
    if (record.firstEnd !== undefined) return this.#finishEndless(record, record.firstEnd);
    record.tooLong ??= this.#unreadable(TOO_LONG, false, length);
    this.#page.drop(record.searched);
    record.searched = 0;
    record.searchAt = 0;
    return false;
  }

  #parse(record: OpenRecord, parser: RecordParser, end: number): boolean {
    try {
      parser.write(this.#page.text.slice(record.parsed, end));
      record.parsed = end;
      if (parser.end !== undefined) return this.#finishRecord(parser.result(), parser.end);
      record.firstEnd ??= end;
      return this.#inVain > MOST_IN_VAIN ? this.#finishEndless(record, record.firstEnd) : true;
    } catch (error) {
      if (!(error instanceof MalformedRecord)) throw error;
      const { firstEnd = end } = record;
      this.#inVain += Math.max(error.position - firstEnd, 0);
      return this.#finish(this.#malformed(error.message, firstEnd, error.position), firstEnd);
    }
  }

  #finishRecord(record: CutRecord, end: number): boolean {
    const isTooLong = end * 3 > LONGEST_RECORD && this.#page.byteAt(end) - this.#page.byteAt(0) > LONGEST_RECORD;
    if (isTooLong) return this.#finish(this.#unreadable(TOO_LONG, false, end), end);
    return this.#finish({ kind: 'record', offset: this.#page.byteAt(0), record }, end);
  }

  #finish(part: PagePart, end: number): boolean {
    this.#parts.push(part);
    this.#record = undefined;
    this.#at = end;
    return true;
  }

  /** The page ends within a record. */
  #breakOff(record: OpenRecord): boolean {
    const { length } = this.#page.text;
    if (record.firstEnd !== undefined) return this.#finishEndless(record, record.firstEnd);
    return this.#finish(record.tooLong ?? this.#malformed('the page ends within it', length, length), length);
  }

  #finishEndless(record: OpenRecord, end: number): boolean {
    this.#inVain += Math.max(record.parsed - end, 0);
    return this.#finish(this.#endless(end), end);
  }

  /** What has no end in a record whose text seemed to end. */
  #endless(end: number): PagePart {
    // The parser takes tags for a part of it, up to the next semicolon.
    const reference = this.#page.text.slice(0, end).search(/&#?\w*(?![#\w;])/);
    if (reference < 0) return this.#malformed('an element, a comment or a section of CDATA has no end', end);
    return this.#malformed('a reference has no semicolon at its end', end, reference);
  }

  #usualRecords(scope: Scope): UsualRecords | undefined {
    if (this.#usual?.scope !== scope) {
      RECORD.lastIndex = 0;
      const prefix = RECORD.exec(this.#page.text)?.[1] ?? '';
      if (scope.get(prefix) !== OAI_NAMESPACE) return undefined;
      this.#usual = { scope, records: new UsualRecords(scope, prefix) };
    }
    return this.#usual.records;
  }

  /** @param end of the record */
  #malformed(message: string, end: number, position = 0): PagePart {
    const offset = this.#page.byteAt(position);
    const invalid = this.#page.invalidAt(offset);
    let problem = xmlProblem(message);
    if (invalid !== undefined) problem = notUtf8(invalid);
    else if (problem === 'disallowed character') {
      problem = `the character U+${hex(this.#page.text.charCodeAt(position), 4)} is not allowed in XML`;
    }
    return this.#unreadable(`it is not well-formed XML at byte ${offset}: ${problem}`, true, end);
  }

  /** What has two headers may be two records: then it has no id, which would be that of only one of them. */
  #unreadable(reason: string, isMalformed: boolean, end: number): PagePart {
    const text = this.#page.text.slice(0, end);
    const beginning = text.slice(0, LONGEST_TOKEN);
    const [head = ''] = beginning.split(HEADER_END, 1);
    const found = trimmed(unescapeXml(IDENTIFIER.exec(head)?.[1] ?? ''));
    const isOne = HEADERS.every((tag) => (text.match(tag)?.length ?? 0) < 2);
    const id = found === '' || found.includes('\u0000') || !found.isWellFormed() || !isOne ? undefined : found;
    const which = id === undefined ? 'a record without an identifier' : `the record ${excerpt(id)}`;
    const offset = this.#page.byteAt(0);
    return { kind: 'unreadable', offset, id, reason: `${which} cannot be read: ${reason}`, isMalformed };
  }
}

/** As the parser does: other white space is a part of an identifier. */
const trimmed = (text: string): string => text.replace(/^[ \t\n\r]+|[ \t\n\r]+$/g, '');
