import { FetchFailure } from '../../../client/read/fetcher.ts';
import { ReadFailure } from '../../../client/read/read-failure.ts';
import type { CutRecord } from './cut-record.ts';
import { PageCutter, type PagePart } from './page-cutter.ts';
import { PageEnvelope } from './page-envelope.ts';
import { unescapeXml } from './xml-text.ts';

/** What the loop of requests needs to know of an answer to ListRecords. Its records are checked when they are read. */
export interface ScannedPage {
  readonly responseDate: string | undefined;
  readonly errors: PageEnvelope['errors'];
  /** Number of records and deletions. */
  readonly records: number;
  readonly lastIdentifier: string | undefined;
  /** Empty when the element is; undefined without one. */
  readonly token: string | undefined;
  readonly completeListSize: number | undefined;
  /** Whether it is a static repository: one document, which has all records. */
  readonly isStatic: boolean;
}

interface ScanOptions {
  /** The asked metadata format: a static repository has a list for each. */
  readonly format: string;
  /** Called with the identifier of each record that has one. */
  onIdentifier(identifier: string): void;
}

/** What a parser says of a document that ends early. */
const ENDS_EARLY = /unclosed tag|unexpected end|must contain a root/;

/**
 * Scans an answer to ListRecords as it arrives: its envelope, the identifiers of its records, and its token. Memory
 * does not grow with it. What is in a record does not matter: a malformed one does not stop it.
 */
export class PageScan {
  readonly #onIdentifier: ScanOptions['onIdentifier'];
  readonly #envelope: PageEnvelope;
  readonly #cutter: PageCutter;
  #bytes = 0;
  #records = 0;
  #lastIdentifier: string | undefined;

  constructor({ format, onIdentifier }: ScanOptions) {
    this.#onIdentifier = onIdentifier;
    this.#envelope = new PageEnvelope({ format, verbs: ['ListRecords'], takesErrors: true });
    this.#cutter = new PageCutter(this.#envelope, { read: identified });
  }

  /** @throws ReadFailure when it is no answer of OAI-PMH */
  write(chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#cutter.push(chunk);
    for (const part of this.#cutter.take()) this.#count(part);
  }

  /** @throws FetchFailure when it is empty, or ends early: another request may get all of it; ReadFailure */
  end(): ScannedPage {
    if (this.#bytes === 0) throw new FetchFailure('it is empty');
    this.#cutter.end();
    for (const part of this.#cutter.take()) {
      if (part.kind === 'fault' && !this.#envelope.hasEnded && ENDS_EARLY.test(part.reason))
        throw new FetchFailure(`it ends after ${this.#bytes} bytes, before it is complete`);
      this.#count(part);
    }
    const { responseDate, errors, token, completeListSize, isStatic } = this.#envelope;
    const found = { records: this.#records, lastIdentifier: this.#lastIdentifier };
    return { responseDate, errors, ...found, token, completeListSize, isStatic };
  }

  #count(part: PagePart): void {
    if (part.kind === 'fault') throw new ReadFailure(`${part.reason} (byte ${part.offset})`);
    this.#records += 1;
    const identifier = part.kind === 'record' ? part.record.identifier : part.id;
    if (identifier === undefined || identifier === '') return;
    this.#lastIdentifier = copied(identifier);
    this.#onIdentifier(this.#lastIdentifier);
  }
}

/** Characters of an end tag. */
const MOST_END = 100;
const P = '(?:[\\w.-]+:)?';
const HEAD = new RegExp(`^<${P}record(?:\\s[^<>]*)?>\\s*<${P}header(?:\\s[^<>]*)?>\\s*<${P}identifier>([^<]*)</`);
const END = new RegExp(`</${P}record\\s*>$`);
/** What may have an end of a record in it that is none: comments, CDATA, and a record in the metadata. */
const NEEDS_PARSER = new RegExp(`<[!?]|(?<!^)<${P}record[\\s/>]`);

/** A record of which only the identifier is read. */
function identified(text: string): CutRecord | undefined {
  const [, identifier] = HEAD.exec(text) ?? [];
  if (identifier === undefined || !END.test(text.slice(-MOST_END)) || NEEDS_PARSER.test(text)) return undefined;
  const nothing = { datestamp: '', setSpecs: [], deleted: false, metadata: undefined, about: [] };
  return { identifier: unescapeXml(identifier).trim(), ...nothing };
}

/** A part of a text would keep all of it in memory. */
const copied = (text: string): string => Buffer.from(text).toString();
