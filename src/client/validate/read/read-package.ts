import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type Document, type Entry, linksOf } from '../../read/document.ts';
import { DocumentParser } from '../../read/document-parser.ts';
import { fetchPackage, type PackageFile } from '../../read/fetch-package.ts';
import { isUnanswered } from '../../read/fetcher.ts';
import { ReadFailure } from '../../read/read-failure.ts';
import { limited } from '../../read/unpacked.ts';
import { ZipPackage } from '../../read/zip-file.ts';
import type { Bitstream, Package } from '../rules/rule.ts';
import { EntrySample } from './entry-sample.ts';
import { parse, readDocument } from './read-document.ts';
import { digestsOf, startHashes } from './read-resource.ts';
import type { SetReading } from './read-set.ts';
import type { Session } from './session.ts';

const MOST_MISSING = 100;
const MOST_UNKNOWN = 100;
const MANIFEST = 'manifest.xml';

/**
 * Reads a package of a dump into a file, and checks that its manifest agrees with some of its files, or with all.
 * Returns undefined when its server does not answer.
 */
export async function readPackage(
  session: Session,
  set: SetReading,
  dump: Document,
  entry: Entry,
): Promise<Package | undefined> {
  session.counts.packages++;
  session.progress(entry.loc);
  const nothing = { uri: entry.loc, dump, entry, failure: undefined, length: 0, hashes: {}, isZip: false };
  const read = { ...nothing, manifest: undefined, contents: undefined, bitstreams: [], unknown: [] };
  let file: PackageFile | undefined;
  try {
    const hashes = startHashes(entry.md.hash);
    let isZip = isCalledZip(entry);
    let isFirst = true;
    file = await fetchPackage(session, entry.loc, {
      path: join(session.options.folder, `${randomUUID()}.package`),
      mostBytes: session.limits.resourceBytes,
      onChunk(chunk) {
        if (isFirst) isZip ||= chunk.subarray(0, 2).toString() === 'PK';
        isFirst = false;
        for (const hash of hashes.values()) hash.update(chunk);
      },
    });
    const contents = await readContents(session, entry, dump);
    const found = { ...read, length: file.length, hashes: digestsOf(hashes), isZip, contents };
    return isZip ? { ...found, ...(await readFiles(session, set, dump, { entry, file })) } : found;
  } catch (error) {
    session.signal.throwIfAborted();
    if (!(error instanceof ReadFailure)) throw error;
    if (!isUnanswered(error)) return { ...read, failure: error.message };
    session.addUnanswered(entry.loc, error.message);
    return undefined;
  } finally {
    file?.close();
  }
}

const isCalledZip = ({ loc, md }: Entry) => md.type === 'application/zip' || /\.zip$/i.test(loc);

async function readContents(session: Session, entry: Entry, dump: Document): Promise<Document | undefined> {
  const [uri] = linksOf(entry, 'contents');
  if (uri === undefined) return undefined;
  return session.documents.get(uri) ?? readDocument(session, uri, { expected: `${dump.md.capability}-manifest` });
}

interface FetchedPackage {
  readonly entry: Entry;
  readonly file: PackageFile;
}

async function readFiles(session: Session, set: SetReading, dump: Document, { entry, file }: FetchedPackage) {
  const zip = await ZipPackage.open(file.fd, file.length);
  try {
    if (!zip.has(MANIFEST)) return { manifest: undefined };
    const missing: Bitstream[] = [];
    const unknown: Entry[] = [];
    const sample = new EntrySample(
      session.options.sample === 'all' ? Number.POSITIVE_INFINITY : session.options.sample,
    );
    const isDumpOfNow = dump.md.capability === 'resourcedump';
    const parser = new DocumentParser(`${entry.loc}!/${MANIFEST}`, `${dump.md.capability}-manifest`, { digests: true });
    const manifest = await readManifest(session, parser, zip, (each) => {
      const name = nameOf(each);
      if (isDumpOfNow && unknown.length < MOST_UNKNOWN && !set.table.knows(each.loc)) unknown.push(each);
      if (name === undefined) return;
      if (zip.has(name)) sample.offer(each, parser.document, 0);
      else if (missing.length < MOST_MISSING) missing.push({ entry: each, found: undefined, isMissing: true });
    });
    const bitstreams = [...missing];
    for (const { entry: each } of sample.chosen) bitstreams.push(await readBitstream(session, zip, each));
    return { manifest, bitstreams, unknown: set.knowsAll(dump) ? unknown : [] };
  } finally {
    zip.close();
  }
}

const nameOf = ({ md: { path } }: Entry) => path?.replace(/^\//, '');

async function readManifest(session: Session, parser: DocumentParser, zip: ZipPackage, each: (entry: Entry) => void) {
  const { document } = parser;
  session.countDocument();
  session.documents.set(document.uri, document);
  try {
    await parse(session, parser, limited(zip.read(MANIFEST), session.limits.documentBytes), {
      onEntry: (entry) => {
        each(entry);
        return undefined;
      },
    });
  } catch (error) {
    session.signal.throwIfAborted();
    if (!(error instanceof ReadFailure)) throw error;
    document.failure = error.message;
  }
  return document;
}

async function readBitstream(session: Session, zip: ZipPackage, entry: Entry): Promise<Bitstream> {
  const hashes = startHashes(entry.md.hash);
  let length = 0;
  try {
    for await (const chunk of limited(zip.read(nameOf(entry)!), session.limits.resourceBytes)) {
      session.signal.throwIfAborted();
      length += chunk.length;
      for (const hash of hashes.values()) hash.update(chunk);
    }
    return { entry, found: { length, hashes: digestsOf(hashes) }, isMissing: false };
  } catch (error) {
    if (!(error instanceof ReadFailure)) throw error;
    return { entry, found: { length: -1, hashes: {} }, isMissing: false };
  }
}
