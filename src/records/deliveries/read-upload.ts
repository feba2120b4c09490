import { formatKey } from '../../artifacts/artifact-key.ts';
import type { ArtifactStore, ObjectKey, StoredObject } from '../../artifacts/artifact-store.ts';
import type { Block } from '../../artifacts/avro/avro-blocks.ts';
import { packContainer } from '../../artifacts/avro/container-writer.ts';
import { documentMetadata } from '../../artifacts/avro/document-type.ts';
import { comparedBytes, readArtifact } from '../../artifacts/open-artifact.ts';
import { putArtifact } from '../../artifacts/put-artifact.ts';
import { TidemarkError } from '../../core/errors.ts';
import type { ResourceKey } from '../../core/key.ts';
import { keyOfRecordId } from '../../core/record-key.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { type EarlierUpload, isReadAgain, nothingLeft } from '../again/earlier-uploads.ts';
import { IdFilter } from '../again/id-filter.ts';
import { nameUpload } from '../again/name-upload.ts';
import type { ReadingPlan } from '../again/plan-reading.ts';
import { storedRecords } from '../again/stored-records.ts';
import { randomId } from '../arrivals/store-file.ts';
import type { NamedUpload, UploadedFile } from '../arrivals/upload.ts';
import { filesOf, type ReadUpload } from '../arrivals/upload-state.ts';
import { ErrataWriter } from '../errata/errata-writer.ts';
import type { Erratum } from '../errata/erratum.ts';
import { findRecordFiles } from '../forms/identify.ts';
import { filesAsGiven, filesInOrder } from '../forms/in-order.ts';
import type { Normalization } from '../forms/normalization.ts';
import { OneForm } from '../forms/one-form.ts';
import { readFile } from '../forms/read-file.ts';
import { listedErratum, type ReadErratum, type ReadItem, type SharedByFiles } from '../forms/record-form.ts';
import type { FoundFile, GivenFile } from '../packages/found-file.ts';
import type { UnpackLimits } from '../packages/unpacking.ts';
import { type CountedFile, FileCounts, NO_ENTRIES } from './file-counts.ts';
import { RecordBlocks } from './record-blocks.ts';
import type { SortedRecords } from './sorted-records.ts';

/** An upload to read. Plain values, so that a thread can receive them. */
export interface UploadToRead extends NamedUpload {
  readonly files: readonly UploadedFile[];
  readonly normalization: Normalization | undefined;
  readonly limits: UnpackLimits;
  /** What is read in place of files, if it is a delivery that reads its stream again. */
  readonly again?: ReadingPlan | undefined;
  /** Whether its files are the pages of a harvest, which are many. */
  readonly isHarvest: boolean;
  /** The hashes of its set. */
  readonly publishHashes: ResourceSet['publishHashes'];
  /** The folder for nested packages. */
  readonly scratchFolder: string;
}

export interface ReadingProgress {
  /** Bytes of the files that were read, and of all files. Parts of a file are read twice. */
  readonly bytes: number;
  readonly ofBytes: number;
  readonly records: number;
}

interface ReadingParts {
  readonly artifacts: Pick<ArtifactStore, 'get' | 'put' | 'delete' | 'name'>;
  /** The uploads that a delivery reads again, in the order of their numbers. */
  earlier?(again: ReadingPlan): AsyncIterable<EarlierUpload>;
  onProgress(progress: ReadingProgress): void;
  /**
   * Called with the key of the artifact when the first records are known: it sorts them while the artifact is written.
   */
  beginSort(key: ObjectKey): Pick<SortedRecords, 'copied'>;
}

/**
 * Reads all files of an upload once, and stores their contents: records and deletions in the order in which they count,
 * and errata. An error in a file does not affect the records around it, and never ends the reading.
 * @throws as the artifact store, also when a file has other bytes than were uploaded: then nothing of the upload is
 *   stored
 */
export async function readUpload(upload: UploadToRead, parts: ReadingParts): Promise<ReadUpload> {
  const reading = new UploadReading(upload, parts);
  try {
    return await reading.read();
  } catch (error) {
    await reading.abandon();
    throw error;
  } finally {
    reading.close();
  }
}

/** Reasons of errata that the state of an upload lists. */
const MOST_REASONS = 20;

/** The files of one upload. */
interface Source {
  readonly files: readonly UploadedFile[];
  /** Of an upload that is read again: its number, which comes before the paths of its files. */
  readonly number?: number;
  /** Where its files are kept no more: the records that were read of it. */
  readonly stored?: { readonly records: ObjectKey; readonly sha256?: string | undefined } | undefined;
  /** Only keys that all of these have are read. */
  readonly limits?: readonly ReadonlySet<ResourceKey>[] | undefined;
}

class UploadReading {
  readonly #upload: UploadToRead;
  readonly #parts: ReadingParts;
  readonly #errata: ErrataWriter;
  readonly #blocks = new RecordBlocks();
  readonly #form = new OneForm();
  readonly #shared: SharedByFiles = {};
  readonly #counts = new FileCounts();
  /** Positions of the files that have errors, and the files that are known to have the bytes that were uploaded. */
  readonly #faulty = new Set<number>();
  readonly #compared = new Set<UploadedFile>();
  readonly #reading = this.#read();
  #bytes = 0;
  /** The ids that are read, if not all are. */
  #filter: IdFilter | undefined;
  #limits: NonNullable<Source['limits']> = [];

  constructor(upload: UploadToRead, parts: ReadingParts) {
    this.#upload = upload;
    this.#parts = parts;
    this.#errata = new ErrataWriter(parts.artifacts, { kind: 'upload-errata', ...this.#place() });
  }

  async read(): Promise<ReadUpload> {
    const first = await this.#reading.next();
    const records = first.done ? undefined : await this.#store(startingWith(first.value, this.#reading));
    const errata = await this.#errata.end();
    const { files, totals, unknownFiles } = this.#counts;
    return {
      at: Date.now(),
      files,
      totals,
      ...(unknownFiles > 0 && { unknownFiles }),
      ...(records !== undefined && { records: records.key, recordsSha256: records.hashes['sha-256'] }),
      ...(errata !== undefined && { reasons: this.#errata.counts.list(MOST_REASONS) }),
      ...(errata !== undefined && { errata: errata.key, errataSha256: errata.hashes['sha-256'] }),
    };
  }

  abandon(): Promise<void> {
    // A store that refuses the artifact at once reads nothing of it.
    this.#reading.return().catch(() => {});
    return this.#errata.abandon();
  }

  close(): void {
    this.#shared.opened?.close();
  }

  #place() {
    const { organization, stream, number } = this.#upload;
    return { organization, stream, number, id: randomId() };
  }

  async #store(blocks: AsyncIterable<Block>): Promise<StoredObject> {
    const metadata = documentMetadata(this.#form.mime ?? (await this.#nextMime()));
    const packed = packContainer({ schema: 'stream.Record.v1', codec: 'zstandard', metadata, blocks, ownThread: true });
    const key = { kind: 'stream-records', ...this.#place() } as const;
    const body = this.#parts.beginSort(formatKey(key)).copied(packed, this.#ofBytes);
    return putArtifact(this.#parts.artifacts, key, body, { hashes: ['sha-256'] });
  }

  /** The media type of the records, when many deletions come before the first of them. */
  async #nextMime(): Promise<string | undefined> {
    const form = new OneForm();
    const { scratchFolder, limits } = this.#upload;
    for await (const { files, stored } of this.#sources()) {
      for (const file of files) {
        for await (const found of findRecordFiles(this.#given(file), { scratchFolder, limits })) {
          form.admit(found);
          if (form.mime !== undefined) return form.mime;
        }
      }
      const mime = stored && (await this.#mimeOf(stored));
      if (mime !== undefined) return mime;
    }
    return undefined;
  }

  /** The media type of stored records; undefined when they are all deletions. */
  async #mimeOf(stored: NonNullable<Source['stored']>): Promise<string | undefined> {
    for await (const records of storedRecords(this.#parts.artifacts, stored)) {
      const first = records.find(({ document }) => document.length > 0);
      if (first !== undefined) return first.mime;
    }
    return undefined;
  }

  async *#sources(): AsyncGenerator<Source, void, undefined> {
    const { files, again } = this.#upload;
    if (again === undefined) yield { files };
    else {
      for await (const earlier of this.#parts.earlier!(again)) {
        const source = isReadAgain(earlier) ? sourceOf(earlier, again) : undefined;
        if (source !== undefined) yield source;
      }
    }
  }

  async *#read(): AsyncGenerator<Block, void, undefined> {
    const { again } = this.#upload;
    if (again?.stale !== undefined) yield* this.#readStale(again, again.stale);
    for await (const source of this.#sources()) {
      this.#limits = source.limits ?? [];
      if (source.stored === undefined) yield* this.#readFiles(source);
      else yield* this.#readStored(source, source.stored);
    }
    yield* this.#blocks.end();
  }

  /** First, all ids of a removed upload are deleted: what others say of them comes later, and counts. */
  async *#readStale({ isPartial }: ReadingPlan, stale: NonNullable<ReadingPlan['stale']>) {
    if (isPartial) this.#filter = new IdFilter(stale.reduce((sum, { entries }) => sum + entries, 0));
    const [withRecords] = stale.filter(({ hasRecords }) => hasRecords);
    const mime = withRecords && (await this.#mimeOf(withRecords));
    if (mime !== undefined) this.#form.admitStored(mime);
    for (const artifact of stale) {
      for await (const records of storedRecords(this.#parts.artifacts, artifact)) {
        for (const { id } of records) {
          this.#filter?.add(id);
          this.#blocks.add(id);
        }
        yield* this.#blocks.take();
      }
    }
  }

  async *#readFiles(source: Source): AsyncGenerator<Block, void, undefined> {
    const { scratchFolder, normalization, limits, isHarvest, again } = this.#upload;
    const findFiles = isHarvest ? filesAsGiven : filesInOrder;
    const given = source.files.map((file) => this.#given(file));
    // An upload that is read again has a form of its own.
    const own = again && new OneForm();
    for await (const { file, position } of findFiles(given, { scratchFolder, limits })) {
      const admitted = this.#form.admit(own?.admit(file) ?? file);
      // What it is was said when it came.
      if (own !== undefined && file.kind === 'unknown') continue;
      const counted = this.#begin(admitted, position, source.number);
      for await (const batch of readFile(admitted, normalization, this.#shared)) {
        for (const item of batch) {
          if (item.kind !== 'erratum' && !this.#add(item, counted)) continue;
          const erratum = listedErratum(item);
          if (erratum !== undefined) this.#addErratum(erratum, counted);
        }
        await this.#errata.settle();
        this.#report();
        yield* this.#blocks.take();
      }
    }
    await this.#compareFaulty(source);
  }

  async *#readStored({ number = 0 }: Source, stored: NonNullable<Source['stored']>) {
    let counted: CountedFile | undefined;
    for await (const records of storedRecords(this.#parts.artifacts, stored)) {
      for (const { id, document, mime } of records) {
        if (document.length > 0 && !this.#form.admitStored(mime)) continue;
        counted ??= { file: 1, path: [nameUpload(number)], packing: [], kind: this.#form.fileKind, ...NO_ENTRIES };
        this.#addEntry(id, document.length > 0 ? document : undefined, counted);
      }
      this.#report();
      yield* this.#blocks.take();
    }
  }

  /** An error may be that of the store, and may have ended the reading before all bytes were compared. */
  async #compareFaulty({ files }: Source): Promise<void> {
    for (const position of this.#faulty) {
      const file = files[position - 1];
      if (file !== undefined && !this.#compared.has(file)) await readToEnd(this.#bytesCompared(file));
    }
    this.#faulty.clear();
    this.#compared.clear();
  }

  #begin({ path, packing, kind, reason }: FoundFile, file: number, number: number | undefined): CountedFile {
    const why = reason === undefined ? {} : { reason };
    const whole = number === undefined ? path : [nameUpload(number), ...path];
    const counted = { file, path: whole, packing, kind, ...why, ...NO_ENTRIES };
    // Of thousands of files that are read again, those count of which something is taken.
    if (number === undefined || kind === 'unknown') this.#counts.begin(counted);
    return counted;
  }

  /** Returns whether it is one that is read. */
  #add(item: Exclude<ReadItem, ReadErratum>, counted: CountedFile): boolean {
    const isRecord = item.kind === 'record' && !item.deleted;
    return this.#addEntry(item.id, isRecord ? item.record.bytes : undefined, counted);
  }

  /** Returns whether it is one that is read. @param document undefined for a deletion */
  #addEntry(id: string, document: Uint8Array | undefined, counted: CountedFile): boolean {
    if (this.#filter?.has(id) === false || this.#limits.some((keys) => !keys.has(keyOfRecordId(id)))) return false;
    this.#blocks.add(id, document);
    this.#counts.addEntry(counted, document === undefined ? 'deletions' : 'records');
    return true;
  }

  #addErratum(erratum: Erratum, counted: CountedFile): void {
    const { file, path } = counted;
    if (!erratum.warning) this.#faulty.add(file);
    // A removal says nothing of the other uploads that was not said of them.
    if (this.#upload.again?.stale !== undefined) return;
    this.#counts.addErratum(counted, erratum.warning === true);
    this.#errata.add({ file, path, ...erratum });
  }

  #given(file: UploadedFile): GivenFile {
    const { name, artifact, length } = file;
    const { artifacts } = this.#parts;
    const read = (start: number, bytes: number) =>
      this.#counted(readArtifact(artifacts, artifact, { start, length: bytes }));
    return { name, read: () => this.#counted(this.#bytesCompared(file)), ranges: { length, read } };
  }

  async *#bytesCompared(file: UploadedFile): AsyncGenerator<Uint8Array, void, undefined> {
    const { artifact, length, sha256 } = file;
    const bytes = readArtifact(this.#parts.artifacts, artifact, { start: 0, length });
    yield* comparedBytes(bytes, { key: artifact, sha256 });
    this.#compared.add(file);
  }

  async *#counted(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of chunks) {
      this.#bytes += chunk.length;
      yield chunk;
    }
  }

  get #ofBytes(): number {
    const { files, again } = this.#upload;
    return again?.bytes ?? files.reduce((sum, { length }) => sum + length, 0);
  }

  #report(): void {
    const { records, deletions } = this.#counts.totals;
    const ofBytes = this.#ofBytes;
    // Parts of a file are read twice.
    const bytes = Math.min(this.#bytes, ofBytes);
    this.#parts.onProgress({ bytes, ofBytes, records: records + deletions });
  }
}

/** Undefined when nothing is left of one that a full upload has replaced, but for some records. */
function sourceOf({ upload, state }: EarlierUpload, again: ReadingPlan): Source | undefined {
  const { number } = upload;
  const limits = again.limits?.filter(({ below }) => below > number).map(({ keys }) => keys) ?? [];
  if (state?.originalsRemoved === undefined) return { number, files: filesOf(upload, state), limits };
  if (state.recordsRemoved !== undefined && limits.length > 0) return undefined;
  if (state.recordsRemoved !== undefined) throw new TidemarkError('invalid', nothingLeft(upload), { upload: number });
  const { records, recordsSha256: sha256 } = state.read ?? {};
  return { number, files: [], limits, stored: records === undefined ? undefined : { records, sha256 } };
}

async function readToEnd(chunks: AsyncGenerator<unknown, void, undefined>): Promise<void> {
  while (!(await chunks.next()).done);
}

async function* startingWith(first: Block, others: AsyncIterable<Block>): AsyncGenerator<Block, void, undefined> {
  yield first;
  yield* others;
}
