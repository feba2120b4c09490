import { TidemarkError } from '../../../core/errors.ts';
import { escapeText, escapeValue, unescapeXml } from './xml-text.ts';

export const OAI_NAMESPACE = 'http://www.openarchives.org/OAI/2.0/';
export const STATIC_NAMESPACE = 'http://www.openarchives.org/OAI/2.0/static-repository';

const START = `<record xmlns="${OAI_NAMESPACE}">`;
const BEGIN = Buffer.from(`${START}<header`);
const HEADER_END = '</header>';
const DERIVED_START = '<derived xmlns="urn:tidemark:derived" format="';

/** The header of a record (OAI-PMH 2.0, 2.5). */
export interface OaiHeader {
  readonly identifier: string;
  readonly datestamp: string;
  readonly setSpecs: readonly string[];
  readonly deleted: boolean;
}

/** A record as it is stored. Each element in it is a document of its own: it declares its namespaces. */
export interface OaiRecord {
  readonly header: OaiHeader;
  /** The element in `metadata`. */
  readonly metadata?: string | undefined;
  /** The element in each `about`. */
  readonly about: readonly string[];
  /** What a transform made of the metadata, and the prefix of its format. */
  readonly derived?: { readonly format: string; readonly xml: string } | undefined;
}

/** Writes the stored document of a record: see docs/internals/harvests.md. */
export function writeOaiRecord({ header, metadata, about, derived }: OaiRecord): Buffer {
  const { identifier, datestamp, setSpecs, deleted } = header;
  let xml = `${START}<header${deleted ? ' status="deleted"' : ''}><identifier>${escapeText(identifier)}</identifier>`;
  xml += `<datestamp>${escapeText(datestamp)}</datestamp>`;
  for (const spec of setSpecs) xml += `<setSpec>${escapeText(spec)}</setSpec>`;
  xml += HEADER_END;
  if (metadata !== undefined) xml += `<metadata>${inner(metadata)}</metadata>`;
  for (const one of about) xml += `<about>${inner(one)}</about>`;
  if (derived !== undefined) xml += `${DERIVED_START}${escapeValue(derived.format)}">${inner(derived.xml)}</derived>`;
  return Buffer.from(`${xml}</record>`);
}

/** Metadata may have elements of these names: their end tags get a blank, so that the first end tag without is ours. */
const inner = (xml: string): string => xml.replace(/<\/(metadata|about|derived)>/g, '</$1 >');

/**
 * Reads what `writeOaiRecord` wrote. It needs no parser, because all bytes are known but the texts.
 * @throws TidemarkError `invalid` for another document
 */
export function readOaiRecord(document: Buffer): OaiRecord {
  const parts = new Parts(document.toString());
  const head = parts.next(START, HEADER_END);
  if (head === undefined)
    throw new TidemarkError('invalid', 'the document is not a record of OAI-PMH, as it is stored');
  const metadata = parts.next('<metadata>', '</metadata>');
  const about: string[] = [];
  for (let one = parts.next('<about>', '</about>'); one !== undefined; ) {
    about.push(one);
    one = parts.next('<about>', '</about>');
  }
  const derived = parts.next(DERIVED_START, '</derived>');
  return {
    header: readHeader(head),
    ...(metadata !== undefined && { metadata }),
    about,
    ...(derived !== undefined && { derived: readDerived(derived) }),
  };
}

/** Whether a document is one that `writeOaiRecord` wrote, by its beginning. */
export function isOaiRecord(document: Buffer): boolean {
  return document.subarray(0, BEGIN.length).equals(BEGIN);
}

/** The document without what a transform made, as the repository had it. */
export function withoutDerived(document: Buffer): Buffer {
  const at = document.lastIndexOf(DERIVED_START);
  return at < 0 ? document : Buffer.concat([document.subarray(0, at), Buffer.from('</record>')]);
}

/** The metadata as a document of its own. */
export function metadataDocument(document: Buffer): Buffer {
  return Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n${readOaiRecord(document).metadata ?? ''}\n`);
}

/** The elements of a document, one after the other. */
class Parts {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** What is between two texts, when the first one is next. */
  next(start: string, end: string): string | undefined {
    if (!this.#text.startsWith(start, this.#at)) return undefined;
    const from = this.#at + start.length;
    const to = this.#text.indexOf(end, from);
    if (to < 0) return undefined;
    this.#at = to + end.length;
    return this.#text.slice(from, to);
  }
}

function readHeader(head: string): OaiHeader {
  const values = { identifier: '', datestamp: '' };
  const setSpecs: string[] = [];
  for (const [, name, text] of head.matchAll(/<(identifier|datestamp|setSpec)>([^<]*)</g)) {
    if (name === 'setSpec') setSpecs.push(unescapeXml(text!));
    else values[name as keyof typeof values] = unescapeXml(text!);
  }
  return { ...values, setSpecs, deleted: head.startsWith('<header status="deleted">') };
}

function readDerived(text: string): { readonly format: string; readonly xml: string } {
  const end = text.indexOf('">');
  return { format: unescapeXml(text.slice(0, end)), xml: text.slice(end + 2) };
}
