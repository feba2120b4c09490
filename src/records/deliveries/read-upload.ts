import { formatKey } from '../../artifacts/artifact-key.ts';
import type { ArtifactStore, ObjectKey, StoredObject } from '../../artifacts/artifact-store.ts';
import type { Block } from '../../artifacts/avro/avro-blocks.ts';
import { packContainer } from '../../artifacts/avro/container-writer.ts';
import { documentMetadata } from '../../artifacts/avro/document-type.ts';
import { comparedBytes, readArtifact } from '../../artifacts/open-artifact.ts';
import { putArtifact } from '../../artifacts/put-artifact.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { randomId } from '../arrivals/store-file.ts';
import type { NamedUpload, UploadedFile } from '../arrivals/upload.ts';
import { MOST_FILES_SHOWN, type ReadFile, type ReadTotals, type ReadUpload } from '../arrivals/upload-state.ts';
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
import { RecordBlocks } from './record-blocks.ts';
import type { SortedRecords } from './sorted-records.ts';

/** An upload to read. Plain values, so that a thread can receive them. */
export interface UploadToRead extends NamedUpload {
  readonly files: readonly UploadedFile[];
  readonly normalization: Normalization | undefined;
  readonly limits: UnpackLimits;
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
  readonly artifacts: Pick<ArtifactStore, 'get' | 'put' | 'delete'>;
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

type Counted = { -readonly [Name in keyof ReadFile]: ReadFile[Name] };

class UploadReading {
  readonly #upload: UploadToRead;
  readonly #parts: ReadingParts;
  readonly #errata: ErrataWriter;
  readonly #blocks = new RecordBlocks();
  readonly #form = new OneForm();
  readonly #shared: SharedByFiles = {};
  readonly #files: ReadFile[] = [];
  readonly #totals: { -readonly [Name in keyof ReadTotals]: ReadTotals[Name] } = {
    files: 0,
    records: 0,
    deletions: 0,
    errors: 0,
  };
  /** Positions of the files that have errors, and the files that are known to have the bytes that were uploaded. */
  readonly #faulty = new Set<number>();
  readonly #compared = new Set<UploadedFile>();
  readonly #reading = this.#read();
  #bytes = 0;
  #unknownFiles = 0;

  constructor(upload: UploadToRead, parts: ReadingParts) {
    this.#upload = upload;
    this.#parts = parts;
    this.#errata = new ErrataWriter(parts.artifacts, { kind: 'upload-errata', ...this.#place() });
  }

  async read(): Promise<ReadUpload> {
    const first = await this.#reading.next();
    const records = first.done ? undefined : await this.#store(startingWith(first.value, this.#reading));
    const errata = await this.#errata.end();
    return {
      at: Date.now(),
      files: this.#files,
      totals: this.#totals,
      ...(this.#unknownFiles > 0 && { unknownFiles: this.#unknownFiles }),
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
    const { scratchFolder, files, limits } = this.#upload;
    for (const file of files) {
      for await (const found of findRecordFiles(this.#given(file), { scratchFolder, limits })) {
        form.admit(found);
        if (form.mime !== undefined) return form.mime;
      }
    }
    return undefined;
  }

  async *#read(): AsyncGenerator<Block, void, undefined> {
    const { files, scratchFolder, normalization, limits, isHarvest } = this.#upload;
    const findFiles = isHarvest ? filesAsGiven : filesInOrder;
    const given = files.map((file) => this.#given(file));
    for await (const { file, position } of findFiles(given, { scratchFolder, limits })) {
      const admitted = this.#form.admit(file);
      const counted = this.#begin(admitted, position);
      for await (const batch of readFile(admitted, normalization, this.#shared)) {
        for (const item of batch) {
          if (item.kind !== 'erratum') this.#add(item, counted);
          const erratum = listedErratum(item);
          if (erratum !== undefined) this.#addErratum(erratum, counted);
        }
        await this.#errata.settle();
        this.#report();
        yield* this.#blocks.take();
      }
    }
    await this.#compareFaulty();
    yield* this.#blocks.end();
  }

  /** An error may be that of the store, and may have ended the reading before all bytes were compared. */
  async #compareFaulty(): Promise<void> {
    for (const position of this.#faulty) {
      const file = this.#upload.files[position - 1];
      if (file !== undefined && !this.#compared.has(file)) await readToEnd(this.#bytesCompared(file));
    }
  }

  #begin({ path, packing, kind, reason }: FoundFile, file: number): Counted {
    const why = reason === undefined ? {} : { reason };
    const counted: Counted = { file, path, packing, kind, ...why, records: 0, deletions: 0, errors: 0 };
    this.#totals.files += 1;
    if (kind === 'unknown') this.#unknownFiles += 1;
    if (this.#files.length < MOST_FILES_SHOWN) this.#files.push(counted);
    return counted;
  }

  #add(item: Exclude<ReadItem, ReadErratum>, counted: Counted): void {
    const isRecord = item.kind === 'record' && !item.deleted;
    this.#blocks.add(item.id, isRecord ? item.record.bytes : undefined);
    const what = isRecord ? 'records' : 'deletions';
    counted[what] += 1;
    this.#totals[what] += 1;
  }

  #addErratum(erratum: Erratum, counted: Counted): void {
    const { file, path } = counted;
    for (const counts of [counted, this.#totals]) {
      if (erratum.warning) counts.warnings = (counts.warnings ?? 0) + 1;
      else counts.errors += 1;
    }
    if (!erratum.warning) this.#faulty.add(file);
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
    return this.#upload.files.reduce((sum, { length }) => sum + length, 0);
  }

  #report(): void {
    const { records, deletions } = this.#totals;
    const ofBytes = this.#ofBytes;
    // Parts of a file are read twice.
    const bytes = Math.min(this.#bytes, ofBytes);
    this.#parts.onProgress({ bytes, ofBytes, records: records + deletions });
  }
}

async function readToEnd(chunks: AsyncGenerator<unknown, void, undefined>): Promise<void> {
  while (!(await chunks.next()).done);
}

async function* startingWith(first: Block, others: AsyncIterable<Block>): AsyncGenerator<Block, void, undefined> {
  yield first;
  yield* others;
}
