import type { Entry } from '../../read/document.ts';
import { DocumentParser, UnreadableDocument } from '../../read/document-parser.ts';
import { FetchFailure } from '../../read/fetcher.ts';
import type { Reader } from '../../read/reader.ts';
import type { ZipPackage } from '../../read/zip-file.ts';
import { DocumentFailure, readEntries } from '../lists/read-entries.ts';
import { agrees, strongestOf, type WantedResource, wantedOf } from '../lists/wanted-resource.ts';
import { type ApplyParts, rightAlready } from '../pass/apply-wanted.ts';
import { ResourceFailure, stage, type WantedFile } from '../pass/fetch-resource.ts';
import type { KnownResource } from '../state/mirror-state.ts';
import type { WantedTable } from '../state/wanted-table.ts';
import { isPackageFailure, type ListedPackage, listPackages, withPackage } from './dump-packages.ts';

export interface UsedDump {
  /** Where the Resource Dump is. */
  readonly uri: string;
  /** Whether some of the resources are in the copy: then packages may have nothing that is wanted. */
  readonly isPartial: boolean;
  /** For a package that is being read. */
  readonly folder: string;
  readonly onProgress: (done: number, total: number) => void;
  readonly onNotice: (text: string) => void;
}

const MANIFEST = 'manifest.xml';
/** After so many packages that were of no use, what is left is fetched file by file. */
const MOST_USELESS = 3;
/** After so many files that are not as its manifest says, a package is not read on. */
const MOST_WRONG = 10;

/**
 * Takes from a Resource Dump what is wanted and has the right bytes there. Whatever the dump has or says, nothing else
 * gets into the copy: what is not in it, or is another version, is left to be fetched alone.
 */
export async function copyFromDump(wanted: WantedTable, dump: UsedDump, parts: ApplyParts): Promise<void> {
  const { reader, writer } = parts;
  const packages = await packagesOf(reader, dump);
  const total = wanted.size.fetches;
  let done = 0;
  let useless = 0;
  for (const listed of packages) {
    reader.signal.throwIfAborted();
    const taking = new Taking(wanted, parts, () => dump.onProgress(++done, total));
    if (dump.isPartial && !(await pays(reader, listed, taking))) continue;
    let problem: string | undefined;
    try {
      problem = await read(listed, dump, taking, reader);
    } finally {
      // What follows reads in the state what this package had; what was taken need not be fetched, also after a stop.
      await writer.flush();
    }
    if (problem !== undefined) dump.onNotice(`the package ${listed.uri} cannot be used as a whole: ${problem}`);
    if (problem !== undefined || taking.taken === 0) useless += 1;
    if (useless < MOST_USELESS) continue;
    return dump.onNotice(
      'three packages of the Resource Dump were of no use: each resource that is left is fetched alone',
    );
  }
}

async function packagesOf(reader: Reader, { uri, onNotice }: UsedDump): Promise<readonly ListedPackage[]> {
  try {
    return await listPackages(reader, uri);
  } catch (error) {
    if (!(error instanceof DocumentFailure)) throw error;
    onNotice(`the Resource Dump cannot be used: ${error.message}`);
    return [];
  }
}

/** Whether half of a package or more is wanted, as far as its manifest can be read alone. */
async function pays(reader: Reader, { contents }: ListedPackage, taking: Taking): Promise<boolean> {
  if (contents === undefined) return true;
  let wanted = 0;
  let listed = 0;
  try {
    await readEntries(reader, contents, (entry) => {
      listed += 1;
      if (taking.find(entry) !== undefined) wanted += 1;
    });
  } catch (error) {
    if (!(error instanceof DocumentFailure)) throw error;
  }
  return wanted > 0 && wanted * 2 >= listed;
}

/** Takes from one package what is wanted. Returns why it could not be read, or not to its end. */
async function read(
  listed: ListedPackage,
  { folder }: UsedDump,
  taking: Taking,
  reader: Reader,
): Promise<string | undefined> {
  reader.progress(listed.uri);
  try {
    await withPackage(reader, listed, folder, async (zip) => {
      for await (const entry of manifestOf(zip, listed.uri, reader)) {
        reader.signal.throwIfAborted();
        await taking.take(entry, zip);
      }
    });
    return taking.wrong;
  } catch (error) {
    reader.signal.throwIfAborted();
    if (!isPackageFailure(error) && !(error instanceof UnreadableDocument)) throw error;
    return error.message;
  }
}

async function* manifestOf(zip: ZipPackage, uri: string, { limits }: Reader): AsyncGenerator<Entry> {
  if (!zip.has(MANIFEST)) throw new UnreadableDocument(`it has no ${MANIFEST}`);
  const parser = new DocumentParser(`${uri}!/${MANIFEST}`, 'resourcedump-manifest');
  const decoder = new TextDecoder();
  let bytes = 0;
  for await (const chunk of zip.read(MANIFEST)) {
    bytes += chunk.length;
    if (bytes > limits.documentBytes) throw new UnreadableDocument(`its ${MANIFEST} is too long`);
    yield* parser.write(decoder.decode(chunk, { stream: true }));
  }
  yield* parser.write(decoder.decode());
  parser.end();
}

/** Takes the resources of one package. */
class Taking {
  /** How many were taken, or were right already. */
  taken = 0;
  /** What was wrong with the last file that is not as the manifest says. */
  wrong: string | undefined;
  #countWrong = 0;
  readonly #wanted: WantedTable;
  readonly #parts: ApplyParts;
  readonly #onTaken: () => void;
  /** Ids of those that were taken: a package may name one again and again. */
  readonly #seen = new Set<number>();

  constructor(wanted: WantedTable, parts: ApplyParts, onTaken: () => void) {
    this.#wanted = wanted;
    this.#parts = parts;
    this.#onTaken = onTaken;
  }

  /** What is wanted of the resource of an entry, if the entry says that it has the same bytes. */
  find(entry: Entry): WantedResource | undefined {
    const offered = wantedOf(entry, false);
    const wanted = this.#wanted.get(offered.uri);
    if (wanted === undefined || wanted.isDeleted || wanted.length === undefined) return undefined;
    const name = strongestOf(wanted.hashes);
    if (name === undefined || (offered.hashes[name] ?? wanted.hashes[name]) !== wanted.hashes[name]) return undefined;
    if ((offered.length ?? wanted.length) !== wanted.length) return undefined;
    const copied = this.#parts.state.resource(wanted.uri)?.copied;
    return copied !== undefined && agrees(copied, wanted) === true ? undefined : wanted;
  }

  /** @throws FetchFailure when too much in the package is not as its manifest says */
  async take(entry: Entry, zip: ZipPackage): Promise<void> {
    const { target, writer, state } = this.#parts;
    const name = entry.md.path?.replace(/^\//, '');
    const wanted = this.find(entry);
    if (wanted === undefined || name === undefined || !zip.has(name)) return;
    const known: KnownResource = state.resource(wanted.uri) ?? state.name(wanted.uri);
    if (this.#seen.has(known.id)) return;
    this.#seen.add(known.id);
    const right = await rightAlready(known, wanted, target);
    if (right !== undefined) await writer.confirm(known, { copied: right, validator: undefined });
    else {
      const staged = await this.#stage(zip, name, { wanted, path: known.path });
      if (staged === undefined) return;
      await writer.add({ ...staged, known, wanted, validator: undefined, isOfDump: true });
    }
    this.taken += 1;
    this.#onTaken();
  }
  async #stage(zip: ZipPackage, name: string, file: WantedFile) {
    const { target, reader } = this.#parts;
    try {
      return await stage(zip.contents(name), target, { ...file, mostBytes: reader.limits.resourceBytes });
    } catch (error) {
      if (!(error instanceof ResourceFailure || error instanceof FetchFailure)) throw error;
      this.wrong = `${name} in it is not as its manifest says: ${error.message}`;
      this.#countWrong += 1;
      if (this.#countWrong === MOST_WRONG) throw new FetchFailure(this.wrong);
      return undefined;
    }
  }
}
