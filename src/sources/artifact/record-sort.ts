import type { Worker } from 'node:worker_threads';
import type { Stretch } from '../../artifacts/avro/packed-blocks.ts';
import type { DocumentSchemaId } from '../../artifacts/avro/schemas.ts';
import type { HashAlgorithm } from '../../core/hash.ts';
import type { ResourceKey } from '../../core/key.ts';
import { mergeRows } from './merge-rows.ts';
import { NotedRow } from './noted-row.ts';
import { type Noter, type NoterData, noterHere, noterIn } from './noters.ts';
import type { NotedStretch } from './record-noter.ts';
import type { Run } from './run-writer.ts';
import { ScratchFile } from './scratch-file.ts';

export interface RecordSortParts {
  readonly publishHashes: readonly HashAlgorithm[];
  /** Where it sorts; it takes some 170 bytes a record, and as many again for more than 1.5 million. */
  readonly folder: string;
  /** Starts a thread that notes records; without it, they are noted in this one. */
  readonly startNoter?: ((data: NoterData) => Worker) | undefined;
}

/** Threads that unpack and hash: they have some 100 MB/s of documents each. */
const THREADS = 2;
/** Bytes of an artifact that is read before a thread has started. */
const SMALL_ARTIFACT = 8 * 1024 * 1024;

/** Notes what there is to know of the records of an artifact, and sorts that by their keys, on disk: memory does not grow with it. */
export class RecordSort {
  readonly #parts: RecordSortParts;
  readonly #files: ScratchFile[] = [];
  #noters: readonly Noter[] = [];
  #stretches = 0;
  #runs: readonly Run[] = [];
  /** How many were noted. */
  size = 0;

  constructor(parts: RecordSortParts) {
    this.#parts = parts;
  }

  /**
   * Begins with an artifact of so many bytes. Returns how many stretches may be noted at a time.
   * @throws TidemarkError `unavailable` when nothing can be written into the folder
   */
  begin(bytes: number): number {
    const { publishHashes, startNoter } = this.#parts;
    const openNoter = () => {
      const data = { publishHashes, descriptor: this.#scratch().descriptor };
      return startNoter === undefined || bytes < SMALL_ARTIFACT ? noterHere(data) : noterIn(() => startNoter(data));
    };
    this.#noters = Array.from({ length: bytes < SMALL_ARTIFACT ? 1 : THREADS }, openNoter);
    // One is on its way while another is noted.
    return this.#noters.length * 2;
  }

  /** @throws TidemarkError `invalid` when the stretch is damaged; `unavailable` when the disk is full */
  async note(stretch: Stretch<DocumentSchemaId>): Promise<NotedStretch> {
    const noter = this.#noters[this.#stretches++ % this.#noters.length]!;
    const noted = await noter.note(stretch);
    this.size += noted.records;
    return noted;
  }

  /** Ends the noting. */
  async end(): Promise<void> {
    this.#runs = (await Promise.all(this.#noters.map((noter) => noter.end()))).flat();
    await this.#closeNoters();
  }

  /** All records, ascending by key. Of those with one key, the one that comes last in the file is given, and `onDuplicate` is told of each other one. */
  *sorted(onDuplicate: (key: ResourceKey) => void): Generator<NotedRow> {
    let before: NotedRow | undefined;
    for (const row of mergeRows(this.#runs, () => this.#scratch())) {
      const record = new NotedRow(row);
      if (before !== undefined && before.key === record.key) onDuplicate(record.key);
      else if (before !== undefined) yield before;
      before = record;
    }
    if (before !== undefined) yield before;
  }

  async close(): Promise<void> {
    // Whoever still writes must not find another file of this number.
    await this.#closeNoters();
    for (const file of this.#files.splice(0)) file.close();
  }

  async #closeNoters(): Promise<void> {
    await Promise.all(this.#noters.map((noter) => noter.close()));
    this.#noters = [];
  }

  #scratch(): ScratchFile {
    const file = new ScratchFile(this.#parts.folder);
    this.#files.push(file);
    return file;
  }
}
