import { createHash } from 'node:crypto';
import { FetchFailure } from '../../read/fetcher.ts';
import { ReadFailure } from '../../read/read-failure.ts';
import { unpacked } from '../../read/unpacked.ts';
import type { TwoEncodings } from '../rules/rule.ts';
import type { Session } from './session.ts';

const MOST_DOCUMENTS = 20;
const MOST_BYTES = 1024 * 1024;

/** Reads some small documents with and without gzip, and compares the bytes. */
export async function checkEncodings(session: Session): Promise<readonly TwoEncodings[]> {
  const small = [...session.documents.values()].filter(({ bytes, uri }) => bytes <= MOST_BYTES && !uri.includes('!/'));
  const compared: TwoEncodings[] = [];
  for (const { uri } of small.slice(0, MOST_DOCUMENTS)) {
    const before = await digest(session, uri, 'gzip');
    const plain = await digest(session, uri, 'identity');
    // If a document changes meanwhile, its bytes differ for that reason.
    const isStable = before === plain || before === (await digest(session, uri, 'gzip'));
    compared.push({ uri, areEqual: plain === undefined || before === plain || !isStable });
  }
  return compared;
}

/** Digest of the uncompressed bytes; undefined when the document cannot be read any more, or is too large. */
async function digest(session: Session, uri: string, encoding: 'gzip' | 'identity'): Promise<string | undefined> {
  const hash = createHash('sha1');
  try {
    const fetched = await session.options.fetcher.get(uri, encoding, session.signal);
    for await (const chunk of unpacked(fetched, MOST_BYTES)) hash.update(chunk);
    return fetched.status === 200 ? hash.digest('hex') : undefined;
  } catch (error) {
    session.signal.throwIfAborted();
    if (error instanceof FetchFailure && encoding === 'gzip') return 'damaged';
    if (error instanceof ReadFailure) return undefined;
    throw error;
  }
}
