import type { Document, Entry } from '../../read/document.ts';
import { DocumentParser } from '../../read/document-parser.ts';
import { entriesOf } from '../../read/entries-of.ts';
import { ReadFailure } from '../../read/read-failure.ts';
import { unpacked, unpackedFile } from '../../read/unpacked.ts';
import type { Session } from './session.ts';

/** Reads the entries of a document again, without checking them. Ends early if the document cannot be read. */
export async function* readAgain(session: Session, { uri }: Document): AsyncGenerator<Entry> {
  const parser = new DocumentParser(uri);
  const { documentBytes } = session.limits;
  try {
    const fetched = await session.options.fetcher.get(uri, 'gzip', session.signal);
    const chunks = unpackedFile(unpacked(fetched, documentBytes), documentBytes);
    for await (const entries of entriesOf(chunks, parser)) yield* entries;
  } catch (error) {
    session.signal.throwIfAborted();
    // The first reading has reported the faults of the document.
    if (!(error instanceof ReadFailure)) throw error;
  }
}
