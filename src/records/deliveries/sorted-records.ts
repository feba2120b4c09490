import { PassThrough } from 'node:stream';
import type { ObjectKey } from '../../artifacts/artifact-store.ts';
import { writeTo } from '../../lib/bytes/write-to.ts';
import { digestBytes } from '../digests/digest-records.ts';
import { RecordSort, type RecordSortParts } from '../digests/record-sort.ts';

/** Bytes of an artifact that wait to be digested. */
const WAITING = 1024 * 1024;

/**
 * The records of an upload in the order of their ids, sorted while their artifact is written, so that the merge need
 * not read it again: see scripts/bench/HISTORY.md. After a failure, or in another process, they do not exist, and
 * the merge reads the artifact.
 */
export class SortedRecords {
  readonly #key: ObjectKey;
  readonly #hashes: string;
  #sort: RecordSort | undefined;
  #digesting: Promise<void> | undefined;

  /**
   * @param sort the records, if they are sorted already
   * @throws TidemarkError `unavailable` when nothing can be written into the folder
   */
  constructor(key: ObjectKey, parts: RecordSortParts, sort?: RecordSort) {
    this.#key = key;
    this.#hashes = parts.publishHashes.join();
    // One digesting thread is as fast as the thread that reads.
    this.#sort = sort ?? new RecordSort({ ...parts, threads: 1 });
  }

  /**
   * Returns the bytes of the artifact unchanged; each chunk is digested when the next one is requested.
   * @param length of the artifact, as far as it is known
   */
  async *copied(packed: AsyncIterable<Uint8Array>, length: number): AsyncGenerator<Uint8Array, void, undefined> {
    const copy = new PassThrough({ writableHighWaterMark: WAITING });
    this.#digesting = this.#digest(copy, length);
    // `take` awaits the error. A write that waits for room must not wait for ever.
    this.#digesting.catch(() => copy.destroy());
    try {
      for await (const bytes of packed) {
        yield bytes;
        await writeTo(copy, Buffer.from(bytes));
      }
    } finally {
      copy.end();
    }
  }

  /** Returns the sorted records, once; the caller closes them. Undefined when they do not exist. */
  async take(key: ObjectKey, hashes: RecordSortParts['publishHashes']): Promise<RecordSort | undefined> {
    if (key !== this.#key || hashes.join() !== this.#hashes) return undefined;
    try {
      await this.#digesting;
    } catch {
      // The merge reads the artifact instead, and reports the error, if it persists.
      await this.close();
    }
    const sort = this.#sort;
    this.#sort = undefined;
    return sort;
  }

  async close(): Promise<void> {
    await this.#digesting?.catch(() => {});
    await this.#sort?.close();
    this.#sort = undefined;
  }

  async #digest(body: AsyncIterable<Uint8Array>, length: number): Promise<void> {
    const artifact = { body, length, key: this.#key, schema: 'stream.Record.v1' } as const;
    for await (const _ of digestBytes(artifact, this.#sort!));
  }
}
