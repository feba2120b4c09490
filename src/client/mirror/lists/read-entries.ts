import { TidemarkError } from '../../../core/errors.ts';
import type { Document, Entry } from '../../read/document.ts';
import { DocumentParser } from '../../read/document-parser.ts';
import { entriesOf } from '../../read/entries-of.ts';
import type { RequestHeaders } from '../../read/fetcher.ts';
import { ReadFailure } from '../../read/read-failure.ts';
import type { Reader } from '../../read/source-reader.ts';
import { unpacked, unpackedFile } from '../../read/unpacked.ts';

/** A document of the source that cannot be read completely. The message is for people. */
export class DocumentFailure extends TidemarkError {
  readonly uri: string;
  /** The status of the response; 0 when there was none, or when the document is invalid. */
  readonly status: number;

  constructor(uri: string, problem: string, status = 0) {
    super('unavailable', `${uri} cannot be read: ${problem}`, { uri, status });
    this.uri = uri;
    this.status = status;
  }

  /** Whether the document does not exist any more, such as a part of an index that has changed since it was read. */
  get isMissing(): boolean {
    return this.status === 404 || this.status === 410;
  }
}

type OnEntry = (entry: Entry, document: Document) => void;

export interface ReadEntries {
  readonly document: Document;
  readonly headers: Readonly<Record<string, string>>;
  /** For a conditional request: see `validatorOf`. */
  readonly validator: string | undefined;
}

/**
 * Reads a document as it arrives. It may fail after entries were passed on: these are from an incomplete document.
 * @param validator of the document at the last read
 * @returns undefined when the document has not changed
 * @throws DocumentFailure
 */
export async function readEntries(reader: Reader, uri: string, onEntry: OnEntry): Promise<ReadEntries>;
export async function readEntries(
  reader: Reader,
  uri: string,
  onEntry: OnEntry,
  validator: string | undefined,
): Promise<ReadEntries | undefined>;
export async function readEntries(
  reader: Reader,
  uri: string,
  onEntry: OnEntry,
  validator?: string,
): Promise<ReadEntries | undefined> {
  reader.progress(uri);
  const parser = new DocumentParser(uri);
  const { document } = parser;
  try {
    const fetched = await reader.fetcher.get(uri, 'gzip', reader.signal, conditionsOf(validator));
    const { status, headers } = fetched;
    if (status !== 200) fetched.discard();
    if (status === 304 && validator !== undefined) return undefined;
    if (status !== 200) throw new DocumentFailure(uri, `the server answers ${status}${adviceFor(status)}`, status);
    const { documentBytes } = reader.limits;
    const chunks = unpackedFile(unpacked(fetched, documentBytes), documentBytes);
    for await (const entries of entriesOf(chunks, parser)) {
      reader.signal.throwIfAborted();
      for (const entry of entries) onEntry(withAbsolute(entry, fetched.uri), document);
    }
    return { document, headers, validator: validatorOf(headers) };
  } catch (error) {
    reader.signal.throwIfAborted();
    throw error instanceof ReadFailure ? new DocumentFailure(uri, error.message) : error;
  }
}

/** Options for credentials, in messages. */
export const CREDENTIAL_OPTIONS = '--token-file or --netrc; of a set: --from-token-file, --from-netrc';

/** Advice for the user about a response, for the end of a message. */
export function adviceFor(status: number): string {
  return status === 401 || status === 403 ? `: it needs credentials (${CREDENTIAL_OPTIONS})` : '';
}

/** A URI should be absolute. Some sources write relative ones, of lists or of resources. */
function withAbsolute(entry: Entry, base: string): Entry {
  const loc = entry.loc.trim();
  if (loc === '' || /^[a-z][a-z0-9+.-]*:/i.test(loc) || !URL.canParse(loc, base)) return entry;
  return { ...entry, loc: new URL(loc, base).href };
}

/** The headers of a conditional request. A validator that ends with a quote is an ETag, any other one a date. */
export function conditionsOf(validator: string | undefined): RequestHeaders {
  if (validator === undefined) return {};
  return validator.endsWith('"') ? { 'if-none-match': validator } : { 'if-modified-since': validator };
}

/**
 * The ETag, or the Last-Modified of bytes that cannot change within its second any more: the response is of a later one
 * (RFC 9110, 8.8.2.2).
 */
export function validatorOf({
  etag,
  date = '',
  'last-modified': modified = '',
}: Readonly<Record<string, string>>): string | undefined {
  if (etag?.endsWith('"')) return etag;
  return Date.parse(date) - Date.parse(modified) >= 1000 ? modified : undefined;
}
