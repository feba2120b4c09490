import type { SaxesTagNS } from 'saxes';
import { reasonOf } from '../../../lib/system-error.ts';
import type { FaultKind } from '../../errata/fault-kinds.ts';
import { hexOf } from './faults/readable-text.ts';
import { UnusableRecord } from './faults/unusable-record.ts';
import { BAD_REFERENCE, ForgivingParser, UNDEFINED_ENTITY } from './forgiving-parser.ts';
import { MARCXML_NAMESPACE } from './marcxml-markup.ts';
import type { MarcPart } from './read-record.ts';
import { RecordDraft } from './record-draft.ts';
import { TextPlace } from './text-place.ts';

/** Most characters of a tag or a text: saxes keeps it in memory until its end. */
const LONGEST_TOKEN = 1_000_000;
const DEEPEST = 100;

const NO_NAMESPACE = new UnusableRecord(
  `the record has no namespace: MARCXML has xmlns="${MARCXML_NAMESPACE}", also for each record`,
  { kind: 'no-namespace' },
);
const NO_RECORDS = `the file has no records: expected <record> elements with xmlns="${MARCXML_NAMESPACE}"`;

/** Thrown for XML that cannot be parsed any further. */
export class UnreadableXml extends Error {
  /** Number of bytes of the file before the error. */
  readonly offset: number;
  readonly kind: FaultKind;

  constructor(message: string, offset: number, kind: FaultKind) {
    super(message);
    this.offset = offset;
    this.kind = kind;
  }
}

/**
 * Parses MARCXML as it arrives, in memory that does not grow with it. It uses the prefixes that the document declares.
 * A document type is refused: entities declared in one could make a small file huge. A character that XML or UTF-8 does
 * not have is a fault of its record alone; behind one outside of a record, and behind other faults, nothing is read.
 */
export class MarcXmlParser {
  readonly #sax = new ForgivingParser((message) => this.#forgive(message));
  readonly #place = new TextPlace();
  #read: MarcPart[] = [];
  #hasRecords = false;
  #record: RecordDraft | undefined;
  /** Number of open elements, and of those around the record. */
  #depth = 0;
  #depthOfRecord = 0;
  /** That of the record. One without a namespace is read for its id: it is an erratum. */
  #namespace = '';
  /** Number of bytes before the last tag that began outside of a record. */
  #tagOffset = 0;
  #lastToken = 0;
  /** Whether the record has a character reference that is wrong. */
  #hasBadReference = false;
  /** Whether all that came is `<collection>`: in a night without changes, that is a whole file. */
  #isEmptyCollection = false;

  constructor() {
    const sax = this.#sax;
    // These are six handlers. With one more, V8 keeps the properties of the parser in a table, and parsing takes four
    // times as long. So no handlers are set for the other parts of a document.
    sax.on('doctype', () =>
      this.#refuse('the XML has a document type (DOCTYPE), which MARCXML has not: remove it', 'document-type'),
    );
    sax.on('opentagstart', ({ name }) => {
      if (this.#record === undefined) this.#tagOffset = this.#offset() - Buffer.byteLength(name) - 2;
    });
    sax.on('opentag', (tag) => this.#open(tag));
    sax.on('text', (text) => this.#addText(text));
    sax.on('cdata', (text) => this.#addText(text));
    sax.on('closetag', () => this.#close());
  }

  /** @throws UnreadableXml */
  write(text: string, bytes: number): void {
    this.#place.write(text, bytes);
    this.#parse(() => this.#sax.write(text));
    if (this.#place.characters - this.#lastToken > LONGEST_TOKEN) {
      this.#refuse(`no tag and no text ends within ${LONGEST_TOKEN} characters`, 'too-large');
    }
  }

  /** Takes a byte that is not UTF-8. @throws UnreadableXml outside of a record */
  writeInvalid(byte: number): void {
    const hex = hexOf(byte);
    if (this.#record === undefined) {
      const problem = `the byte ${hex} is not UTF-8, which is expected of MARCXML`;
      this.#refuse(problem, 'xml-not-utf-8', this.#place.bytes);
    }
    this.#record.fault(
      'xml-not-utf-8',
      () => `has the byte ${hex}, which is not UTF-8, as is expected of MARCXML`,
      `\\x${hex}`,
    );
    this.write('\u{fffd}', 1);
  }

  /** @throws UnreadableXml when the document is not complete */
  end(): void {
    this.#parse(() => this.#sax.close());
    if (!this.#hasRecords && !this.#isEmptyCollection) this.#read.push(faultAt(0, NO_RECORDS, 'no-records'));
  }

  /** The records and errata since the last call. */
  take(): readonly MarcPart[] {
    const read = this.#read;
    this.#read = [];
    return read;
  }

  /** Adds the final erratum. */
  fail({ message, offset, kind }: UnreadableXml): void {
    this.#read.push(faultAt(offset, `${message}; nothing behind this place is read`, kind));
  }

  #parse(work: () => void): void {
    try {
      work();
    } catch (error) {
      const problem = error instanceof UnreadableXml ? undefined : xmlProblem(reasonOf(error));
      if (problem === undefined) throw error;
      this.#refuse(problem, 'malformed-xml');
    }
  }

  /** Takes a fault of a character as one of the open record. Returns whether there is one. */
  #forgive(message: string): boolean {
    if (this.#record === undefined) return false;
    this.#hasBadReference ||= message === BAD_REFERENCE;
    const kind = message === UNDEFINED_ENTITY ? 'entity' : 'xml-character';
    this.#record.fault(kind, () => `${WORDS[kind]}${placeOf(this.#sax.makeError(message).message)}`);
    return true;
  }

  /** A reference without its semicolon has taken tags for a part of it: perhaps that of the next record, too. */
  #requireNoTag(text: string): void {
    if (!this.#hasBadReference || !/&#[^;<]*</.test(text)) return;
    this.#refuse('the XML is not well-formed: a character reference has no semicolon at its end', 'malformed-xml');
  }

  #refuse(message: string, kind: FaultKind, offset = this.#offset()): never {
    throw new UnreadableXml(message, offset, kind);
  }

  /** Number of bytes before the current position of the parser. */
  #offset(): number {
    return this.#place.bytesBefore(this.#sax.position);
  }

  #tokenEnds(): void {
    this.#lastToken = this.#sax.position;
  }

  #open({ uri, local, attributes }: SaxesTagNS): void {
    this.#tokenEnds();
    if (this.#depth === 0) this.#requireUtf8();
    if (++this.#depth > DEEPEST) this.#refuse(`elements are nested more than ${DEEPEST} deep`, 'too-large');
    this.#isEmptyCollection = this.#depth === 1 && local === 'collection' && uri === MARCXML_NAMESPACE;
    if (this.#record !== undefined) {
      if (this.#hasBadReference) for (const { value } of Object.values(attributes)) this.#requireNoTag(value);
      const name = uri === this.#namespace ? local : `{${uri}}${local}`;
      this.#record.open(name, this.#depth - this.#depthOfRecord, (attribute) => attributes[attribute]?.value);
    } else if (local === 'record' && (uri === MARCXML_NAMESPACE || uri === '')) {
      this.#record = new RecordDraft(this.#tagOffset, uri === '' ? NO_NAMESPACE : undefined);
      this.#namespace = uri;
      this.#depthOfRecord = this.#depth;
    }
  }

  #requireUtf8(): void {
    const { encoding } = this.#sax.xmlDecl;
    if (encoding === undefined || /^(?:utf-?8|us-ascii)$/i.test(encoding)) return;
    this.#refuse(`the XML is declared to be ${encoding}: expected UTF-8`, 'xml-encoding');
  }

  #addText(text: string): void {
    this.#tokenEnds();
    this.#requireNoTag(text);
    this.#record?.addText(text);
  }

  #close(): void {
    this.#tokenEnds();
    const depth = this.#depth--;
    if (this.#record === undefined) return;
    if (depth > this.#depthOfRecord) this.#record.close();
    else {
      this.#read.push(this.#record.finish());
      this.#hasRecords = true;
      this.#record = undefined;
      this.#hasBadReference = false;
    }
  }
}

/** An erratum of the file, not of a record. */
const faultAt = (offset: number, reason: string, kind: FaultKind): MarcPart => ({
  offset,
  id: undefined,
  type: undefined,
  length: 0,
  reason,
  fault: { kind },
});

const WORDS = {
  entity: 'has an entity that XML does not have, such as those of HTML',
  'xml-character': 'has a character that XML cannot have',
} as const;

/** Line and column of a message of the XML parser. */
function placeOf(message: string): string {
  const [, line, column] = /^(\d+):(\d+): /.exec(message) ?? [];
  return line === undefined ? '' : ` (line ${line}, column ${column})`;
}

/** The message of the XML parser in words; undefined for other errors. */
function xmlProblem(message: string): string | undefined {
  const [, line, column, what] = /^(\d+):(\d+): (.*?)\.?$/s.exec(message) ?? [];
  return what === undefined ? undefined : `the XML is not well-formed, line ${line}, column ${column}: ${what}`;
}
