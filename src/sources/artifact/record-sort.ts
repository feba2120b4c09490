import type { Worker } from 'node:worker_threads';
import type { Stretch } from '../../artifacts/avro/packed-blocks.ts';
import type { DocumentSchemaId } from '../../artifacts/avro/schemas.ts';
import type { HashAlgorithm } from '../../core/hash.ts';
import type { ResourceKey } from '../../core/key.ts';
import type { DigesterData } from './digest.worker.ts';
import { DigestRow } from './digest-row.ts';
import { type Digester, digesterHere, digesterIn } from './digesters.ts';
import { mergeRows } from './merge-rows.ts';
import type { DigestedChunk } from './record-digester.ts';
import type { Run } from './run-writer.ts';
import { ScratchFile } from './scratch-file.ts';

export interface RecordSortParts {
  readonly publishHashes: readonly HashAlgorithm[];
  /** Where it sorts; it takes some 170 bytes a record, and as many again for more than 1.5 million. */
  readonly folder: string;
  /** Starts a thread that notes records; without it, they are noted in this one. */
  readonly startDigester?: ((data: DigesterData) => Worker) | undefined;
}

/** Threads that unpack and hash: they have some 100 MB/s of documents each. */
const THREADS = 2;
/** Bytes of an artifact that is read before a thread has started. */
const SMALL_ARTIFACT = 8 * 1024 * 1024;

/** Notes what there is to know of the records of an artifact, and sorts that by their keys, on disk: memory does not grow with it. */
export class RecordSort {
  readonly #parts: RecordSortParts;
  readonly #files: ScratchFile[] = [];
  #digesters: readonly Digester[] = [];
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
    const { publishHashes, startDigester } = this.#parts;
    const openDigester = () => {
      const data = { publishHashes, descriptor: this.#scratch().descriptor };
      return startDigester === undefined || bytes < SMALL_ARTIFACT
        ? digesterHere(data)
        : digesterIn(() => startDigester(data));
    };
    this.#digesters = Array.from({ length: bytes < SMALL_ARTIFACT ? 1 : THREADS }, openDigester);
    // One is on its way while another is noted.
    return this.#digesters.length * 2;
  }

  /** @throws TidemarkError `invalid` when the stretch is damaged; `unavailable` when the disk is full */
  async note(stretch: Stretch<DocumentSchemaId>): Promise<DigestedChunk> {
    const digester = this.#digesters[this.#stretches++ % this.#digesters.length]!;
    const noted = await digester.note(stretch);
    this.size += noted.records;
    return noted;
  }

  /** Ends the noting. */
  async end(): Promise<void> {
    this.#runs = (await Promise.all(this.#digesters.map((digester) => digester.end()))).flat();
    await this.#closeDigesters();
  }

  /** All records, ascending by key. Of those with one key, the one that comes last in the file is given, and `onDuplicate` is told of each other one. */
  *sorted(onDuplicate: (key: ResourceKey) => void): Generator<DigestRow> {
    let before: DigestRow | undefined;
    for (const row of mergeRows(this.#runs, () => this.#scratch())) {
      const record = new DigestRow(row);
      if (before !== undefined && before.key === record.key) onDuplicate(record.key);
      else if (before !== undefined) yield before;
      before = record;
    }
    if (before !== undefined) yield before;
  }

  async close(): Promise<void> {
    // Whoever still writes must not find another file of this number.
    await this.#closeDigesters();
    for (const file of this.#files.splice(0)) file.close();
  }

  async #closeDigesters(): Promise<void> {
    await Promise.all(this.#digesters.map((digester) => digester.close()));
    this.#digesters = [];
  }

  #scratch(): ScratchFile {
    const file = new ScratchFile(this.#parts.folder);
    this.#files.push(file);
    return file;
  }
}
