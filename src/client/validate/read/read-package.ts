import { randomUUID } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { unlinked } from '../../../lib/unlinked.ts';
import { type Document, type Entry, linksOf } from '../../read/document.ts';
import { DocumentParser } from '../../read/document-parser.ts';
import { FetchFailure } from '../../read/fetcher.ts';
import { ReadFailure } from '../../read/read-failure.ts';
import { limited, unpacked } from '../../read/unpacked.ts';
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

/** Reads a package of a dump into a file, and checks that its manifest agrees with some of its files, or with all. */
export async function readPackage(session: Session, set: SetReading, dump: Document, entry: Entry): Promise<Package> {
  session.counts.packages++;
  session.progress(entry.loc);
  const nothing = { uri: entry.loc, dump, entry, failure: undefined, length: 0, hashes: {}, isZip: false };
  const read = { ...nothing, manifest: undefined, contents: undefined, bitstreams: [], unknown: [] };
  const path = join(session.options.folder, `${randomUUID()}.package`);
  await mkdir(session.options.folder, { recursive: true });
  const fd = openSync(path, 'wx+', 0o600);
  // The system then deletes the file even when this process is killed.
  const isUnlinked = unlinked(path);
  try {
    const file = await download(session, entry, fd);
    const contents = await readContents(session, entry, dump);
    const isZip = file.isZip || isCalledZip(entry);
    if (!isZip) return { ...read, ...file, contents };
    return {
      ...read,
      ...file,
      isZip,
      contents,
      ...(await readFiles(session, set, { dump, entry, fd, length: file.length })),
    };
  } catch (error) {
    session.signal.throwIfAborted();
    if (!(error instanceof ReadFailure)) throw error;
    return { ...read, failure: error.message };
  } finally {
    closeSync(fd);
    if (!isUnlinked) unlinked(path);
  }
}

const isCalledZip = ({ loc, md }: Entry) => md.type === 'application/zip' || /\.zip$/i.test(loc);

async function download({ options, limits, signal }: Session, { loc, md }: Entry, fd: number) {
  const fetched = await options.fetcher.get(loc, 'identity', signal);
  if (fetched.status !== 200) {
    fetched.discard();
    throw new FetchFailure(`the server answers ${fetched.status}`);
  }
  const hashes = startHashes(md.hash);
  let length = 0;
  let isZip = false;
  for await (const chunk of unpacked(fetched, limits.resourceBytes)) {
    if (length === 0) isZip = chunk.subarray(0, 2).toString() === 'PK';
    length += chunk.length;
    for (const hash of hashes.values()) hash.update(chunk);
    for (let at = 0; at < chunk.length; ) at += writeSync(fd, chunk, at);
  }
  return { length, isZip, hashes: digestsOf(hashes) };
}

async function readContents(session: Session, entry: Entry, dump: Document): Promise<Document | undefined> {
  const [uri] = linksOf(entry, 'contents');
  if (uri === undefined) return undefined;
  return session.documents.get(uri) ?? readDocument(session, uri, { expected: `${dump.md.capability}-manifest` });
}

interface PackageFile {
  readonly dump: Document;
  readonly entry: Entry;
  readonly fd: number;
  /** Bytes. */
  readonly length: number;
}

async function readFiles(session: Session, set: SetReading, { dump, entry, fd, length }: PackageFile) {
  const zip = await ZipPackage.open(fd, length);
  try {
    if (!zip.has(MANIFEST)) return { manifest: undefined };
    const missing: Bitstream[] = [];
    const unknown: Entry[] = [];
    const sample = new EntrySample(
      session.options.sample === 'all' ? Number.POSITIVE_INFINITY : session.options.sample,
    );
    const isDumpOfNow = dump.md.capability === 'resourcedump';
    const parser = new DocumentParser(`${entry.loc}!/${MANIFEST}`, `${dump.md.capability}-manifest`);
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
