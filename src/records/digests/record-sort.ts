import type { Worker } from 'node:worker_threads';
import type { DocumentSchemaId } from '../../artifacts/avro/avro-schemas.ts';
import type { PackedChunk } from '../../artifacts/avro/packed-blocks.ts';
import { releaseOwn } from '../../artifacts/avro/release.ts';
import type { HashAlgorithm } from '../../core/hash.ts';
import { BlockIndex } from './block-index.ts';
import type { DigesterData } from './digest.worker.ts';
import { DigestRow } from './digest-row.ts';
import { type Digester, digesterHere, digesterIn } from './digesters.ts';
import type { DigestedChunk } from './record-digester.ts';
import type { SortedRun } from './row-sorter.ts';
import { RunStore } from './run-store.ts';

export interface RecordSortParts {
  readonly publishHashes: readonly HashAlgorithm[];
  /** The folder of the scratch database, which takes some 220 bytes for each record. */
  readonly folder: string;
  /** Starts a thread that digests records. If undefined, they are digested in the calling thread. */
  readonly startDigester?: ((data: DigesterData) => Worker) | undefined;
  /** Number of threads that digest a large artifact; the default is two. */
  readonly threads?: number | undefined;
}

/** Threads that decompress and hash, each some 100 MB/s of documents. */
const THREADS = 2;
/** Bytes of an artifact that is read sooner than a thread starts. */
const SMALL_ARTIFACT = 8 * 1024 * 1024;

/** Digests the records of an artifact, and sorts them by key on disk: only one page of each run is in memory. */
export class RecordSort {
  readonly #parts: RecordSortParts;
  readonly #runs: RunStore;
  readonly #blocks = new BlockIndex();
  #digesters: readonly Digester[] = [];
  #chunks = 0;
  /** Number of records digested so far. */
  size = 0;

  /** @throws TidemarkError `unavailable` when the folder cannot be written */
  constructor(parts: RecordSortParts) {
    this.#parts = parts;
    this.#runs = new RunStore(parts.folder);
  }

  /** Begins with an artifact of this number of bytes. Returns how many chunks may be digested concurrently. */
  begin(bytes: number): number {
    const { publishHashes, startDigester, threads = THREADS } = this.#parts;
    const data = { publishHashes };
    const openDigester = () =>
      startDigester === undefined || bytes < SMALL_ARTIFACT
        ? digesterHere(data)
        : digesterIn(() => startDigester(data));
    this.#digesters = Array.from({ length: bytes < SMALL_ARTIFACT ? 1 : threads }, openDigester);
    // Two for each digester: one is sent while another is digested.
    return this.#digesters.length * 2;
  }

  /** @throws TidemarkError `invalid` when the chunk is damaged; `unavailable` when the disk is full */
  async digest(chunk: PackedChunk<DocumentSchemaId>): Promise<DigestedChunk> {
    const digester = this.#digesters[this.#chunks++ % this.#digesters.length]!;
    const digested = await digester.digest(chunk);
    for (const run of digested.runs) this.addRun(run);
    for (const block of digested.blocks) this.#blocks.add(block);
    this.size += digested.records;
    return digested;
  }

  /** @throws TidemarkError `unavailable`, such as when the disk is full */
  addRun(run: SortedRun): void {
    this.#runs.add(run);
    releaseOwn(run);
  }

  /** Ends the digesting. @throws TidemarkError `unavailable` when the disk is full */
  async end(): Promise<void> {
    for (const digester of this.#digesters) for (const run of await digester.end()) this.addRun(run);
    await this.#closeDigesters();
  }

  async #closeDigesters(): Promise<void> {
    await Promise.all(this.#digesters.map((digester) => digester.close()));
    this.#digesters = [];
  }

  /**
   * Yields all records, ascending by key. For each key only the last one in the file; `onReplaced` is called for the
   * others.
   */
  *sorted(onReplaced: (record: DigestRow) => void): Generator<DigestRow> {
    let before: DigestRow | undefined;
    for (const row of this.#runs.merged()) {
      const record = new DigestRow(row);
      if (before !== undefined && before.key === record.key) onReplaced(before);
      else if (before !== undefined) yield before;
      before = record;
    }
    if (before !== undefined) yield before;
  }

  /** How many records come before this one in the artifact. */
  recordsBefore(record: DigestRow): number {
    return this.#blocks.recordsBefore(record);
  }

  async close(): Promise<void> {
    await this.#closeDigesters();
    this.#runs.close();
  }
}
