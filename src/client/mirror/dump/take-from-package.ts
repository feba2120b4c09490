import { setImmediate } from 'node:timers/promises';
import type { Bits } from '../../../lib/bits.ts';
import type { Entry } from '../../read/document.ts';
import { DocumentParser, UnreadableDocument } from '../../read/document-parser.ts';
import { entriesOf } from '../../read/entries-of.ts';
import type { PackageFile } from '../../read/fetch-package.ts';
import { FetchFailure } from '../../read/fetcher.ts';
import { ReadFailure } from '../../read/read-failure.ts';
import type { Reader } from '../../read/source-reader.ts';
import { limited } from '../../read/unpacked.ts';
import { ZipPackage } from '../../read/zip-file.ts';
import { agrees, strongestOf, type WantedResource, wantedOf } from '../lists/wanted-resource.ts';
import { type ApplyParts, rightAlready } from '../pass/apply-wanted.ts';
import { ResourceFailure, type StagedResource, stage, stageStream } from '../pass/fetch-resource.ts';
import type { KnownResource } from '../state/known-resource.ts';
import type { WantedRow, WantedTable } from '../state/wanted-table.ts';

export interface TakeParts extends ApplyParts {
  readonly wanted: WantedTable;
  /** The rows whose resources the state may have; undefined when it may have all of them. */
  readonly namedRows: Bits | undefined;
  /** Called for each resource that was taken. */
  readonly onTaken: () => void;
}

interface TakenPackage {
  /** Number of resources that were taken, or whose file was right already. */
  readonly taken: number;
  /** Why the package could not be read completely, or what was wrong in it. */
  readonly problem: string | undefined;
}

const MANIFEST = 'manifest.xml';
/** After this number of files that differ from the manifest, reading of the package stops. */
const MOST_WRONG = 10;

/** Takes the wanted resources from a package, and closes it. */
export async function takeFrom({ fd, length, close }: PackageFile, parts: TakeParts): Promise<TakenPackage> {
  const { signal, limits } = parts.reader;
  const taker = new PackageTaker(parts);
  let problem: string | undefined;
  try {
    const zip = await ZipPackage.open(fd, length);
    try {
      for await (const entries of manifestOf(zip, limits)) {
        signal.throwIfAborted();
        // All of them are needed unless the copy may have some.
        if (!parts.mayHaveFiles) zip.unpackAhead(entries.flatMap((entry) => nameOf(entry) ?? []));
        for (const entry of entries) {
          const taken = taker.take(entry, zip);
          if (taken !== undefined) await taken;
        }
      }
    } finally {
      zip.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ReadFailure)) throw error;
    problem = error.message;
  } finally {
    close();
  }
  return { taken: taker.taken, problem: problem ?? taker.wrong };
}

async function* manifestOf(zip: ZipPackage, limits: Reader['limits']): AsyncGenerator<readonly Entry[]> {
  if (!zip.has(MANIFEST)) throw new UnreadableDocument(`it has no ${MANIFEST}`);
  const parser = new DocumentParser(MANIFEST, 'resourcedump-manifest');
  const chunks = limited(zip.read(MANIFEST), limits.documentBytes);
  for await (const entries of entriesOf(chunks, parser)) {
    yield entries;
    // Between two pieces, the process does its other work.
    await setImmediate();
  }
}

/** The name of an entry's file in the package. */
const nameOf = ({ md }: Entry): string | undefined => md.path?.replace(/^\//, '');

/** A wanted resource that a package contains. */
interface Found {
  readonly row: WantedRow;
  readonly known: KnownResource | undefined;
}

/** Finds the wanted row of a resource, if the entry of the manifest has the bytes that are wanted. */
export function findWanted(
  offered: WantedResource,
  { wanted, state, namedRows }: Pick<TakeParts, 'wanted' | 'state' | 'namedRows'>,
): Found | undefined {
  const row = wanted.fetchOf(offered.uri);
  if (row?.wanted.length === undefined) return undefined;
  const { uri, hashes, length } = row.wanted;
  const name = strongestOf(hashes);
  if (name === undefined || (offered.hashes[name] ?? hashes[name]) !== hashes[name]) return undefined;
  if ((offered.length ?? length) !== length) return undefined;
  const known = namedRows === undefined || namedRows.has(row.id) ? state.resource(uri) : undefined;
  return known?.copied !== undefined && agrees(known.copied, row.wanted) === true ? undefined : { row, known };
}

interface Named extends Found {
  readonly known: KnownResource;
}

class PackageTaker {
  taken = 0;
  /** The problem of the last file that differs from the manifest. */
  wrong: string | undefined;
  #wrongFiles = 0;
  readonly #parts: TakeParts;

  constructor(parts: TakeParts) {
    this.#parts = parts;
  }

  /**
   * Returns a promise only when it must wait: that is faster for many small files.
   * @throws FetchFailure when too many files differ from the manifest
   */
  take(entry: Entry, zip: ZipPackage): void | Promise<void> {
    const name = nameOf(entry);
    if (name === undefined || !zip.has(name)) return undefined;
    const found = findWanted(wantedOf(entry, false), this.#parts);
    if (found === undefined) return undefined;
    const { state, mayHaveFiles, namedRows } = this.#parts;
    namedRows?.add(found.row.id);
    const named = { row: found.row, known: found.known ?? state.name(found.row.wanted.uri) };
    return mayHaveFiles ? this.#takeUnlessRight(zip, name, named) : this.#takeBytes(zip, name, named);
  }

  async #takeUnlessRight(zip: ZipPackage, name: string, { row, known }: Named): Promise<void> {
    const right = await rightAlready(known, row.wanted, this.#parts);
    if (right === undefined) return this.#takeBytes(zip, name, { row, known });
    await this.#parts.writer.confirm(known, { copied: right, validator: undefined });
    this.#count(row);
  }

  #takeBytes(zip: ZipPackage, name: string, named: Named): void | Promise<void> {
    const { target, reader } = this.#parts;
    const { row, known } = named;
    const file = { wanted: row.wanted, path: known.path, mostBytes: reader.limits.resourceBytes };
    try {
      const bytes = zip.contents(name);
      const staged = bytes instanceof Uint8Array ? stage(bytes, target, file) : stageStream(bytes, target, file);
      if (!(staged instanceof Promise)) return this.#add(staged, named);
      return staged.then(
        (staged) => this.#add(staged, named),
        (error) => this.#countWrong(error, name),
      );
    } catch (error) {
      return this.#countWrong(error, name);
    }
  }

  #add(staged: StagedResource, { row, known }: Named): void | Promise<void> {
    this.#count(row);
    return this.#parts.writer.add({ ...staged, known, wanted: row.wanted, validator: undefined, isOfDump: true });
  }

  #count(row: WantedRow): void {
    // Later packages may name this resource again: they must not take it twice.
    this.#parts.wanted.take(row);
    this.taken += 1;
    this.#parts.onTaken();
  }

  #countWrong(error: unknown, name: string): void {
    if (!(error instanceof ResourceFailure || error instanceof FetchFailure)) throw error;
    this.wrong = `${name} in it is not as its manifest says: ${error.message}`;
    this.#wrongFiles += 1;
    if (this.#wrongFiles === MOST_WRONG) throw new FetchFailure(this.wrong);
  }
}
