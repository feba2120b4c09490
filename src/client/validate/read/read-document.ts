import { capabilityOf, type Document, type Entry } from '../../read/document.ts';
import { DocumentParser, UnreadableDocument } from '../../read/document-parser.ts';
import { entriesOf } from '../../read/entries-of.ts';
import { type Fetched, FetchFailure, isUnanswered } from '../../read/fetcher.ts';
import { ReadFailure } from '../../read/read-failure.ts';
import { TooLarge, unpacked, unpackedFile } from '../../read/unpacked.ts';
import type { Session } from './session.ts';

interface ReadOptions {
  /** The capability that the entry that led to the document states. */
  readonly expected?: string | undefined;
  /** Called for each entry, in order. Returns whether the list has named its `loc` before. */
  readonly onEntry?: ((entry: Entry, document: Document) => boolean | undefined) | undefined;
  /** A response that was received before. */
  readonly fetched?: Fetched | undefined;
  /**
   * For a document that the source never named: the capability without which nothing is read of it, nor reported about
   * it.
   */
  readonly only?: string | undefined;
}

/**
 * Reads a document as it arrives, and applies the rules to its entries. If it cannot be read, the result has a
 * `failure`; an invalid document is a finding, too.
 */
export async function readDocument(session: Session, uri: string, options: ReadOptions = {}): Promise<Document> {
  const { expected } = options;
  session.countDocument();
  const parser = new DocumentParser(uri, expected, { requestedAt: session.options.now ?? Date.now(), digests: true });
  const { document } = parser;
  session.documents.set(uri, document);
  session.progress(uri);
  try {
    const fetched = options.fetched ?? (await session.options.fetcher.get(uri, 'gzip', session.signal));
    if (fetched.status !== 200) {
      fetched.discard();
      throw new FetchFailure(`the server answers ${fetched.status}`);
    }
    const { documentBytes } = session.limits;
    await parse(session, parser, unpackedFile(unpacked(fetched, documentBytes), documentBytes), options);
  } catch (error) {
    document.failure = failureOf(session, error);
    document.isUnanswered = isUnanswered(error);
    if (isWanted(document, options)) reportFailure(session, document, error);
  }
  return document;
}

/** Parses bytes as a document, and applies the rules to its entries. */
export async function parse(
  session: Session,
  parser: DocumentParser,
  chunks: AsyncIterable<Buffer>,
  { onEntry, only }: Pick<ReadOptions, 'onEntry' | 'only'>,
): Promise<void> {
  const { document } = parser;
  let previous: Entry | undefined;
  for await (const entries of entriesOf(counted(session, parser, chunks), parser)) {
    if (entries.length > 0 && !isWanted(document, { only })) return;
    for (const entry of entries) {
      const isRepeated = onEntry?.(entry, document) ?? false;
      session.checker.entry(entry, { document, previous, isRepeated });
      previous = entry;
    }
    session.counts.entries += entries.length;
  }
}

const isWanted = (document: Document, { only }: Pick<ReadOptions, 'only'>) =>
  only === undefined || capabilityOf(document) === only;

async function* counted(session: Session, { document }: DocumentParser, chunks: AsyncIterable<Buffer>) {
  for await (const chunk of chunks) {
    session.signal.throwIfAborted();
    document.bytes += chunk.length;
    session.counts.bytes += chunk.length;
    yield chunk;
    session.progress(document.uri);
  }
}

/** @throws errors that end the validation, rather than only concern this document */
function failureOf({ signal }: Session, error: unknown): string {
  if (signal.aborted) throw signal.reason;
  if (!(error instanceof ReadFailure)) throw error;
  return error.message;
}

/**
 * Reports a fault of the document itself. That it cannot be fetched is reported by the rules of the entry that leads to
 * it.
 */
function reportFailure(session: Session, { uri, failure, count, isUnanswered }: Document, error: unknown): void {
  if (isUnanswered) session.addUnanswered(uri, failure!);
  const rule = error instanceof UnreadableDocument ? 1 : error instanceof TooLarge ? 24 : undefined;
  if (rule === undefined) return;
  const message = `${failure}; it was read up to its entry ${count.toLocaleString('en-US')}`;
  session.log.add({ rule, level: 'MUST', document: uri, line: undefined, message });
}
