import { PassThrough } from 'node:stream';
import type { ObjectKey } from '../../artifacts/artifact-store.ts';
import { digestBytes } from '../../artifacts/records/digest-records.ts';
import { RecordSort, type RecordSortParts } from '../../artifacts/records/record-sort.ts';
import { writeTo } from '../../lib/write-to.ts';

/** Bytes of an artifact that wait to be digested. */
const WAITING = 1024 * 1024;

/**
 * The records of an upload in the order of their ids, sorted while their artifact is written, so that the merge need
 * not read it again: see docs/performance.md. They are not there after a failure, or in another process; then it does.
 */
export class SortedRecords {
  readonly #key: ObjectKey;
  readonly #hashes: string;
  #sort: RecordSort | undefined;
  #digesting: Promise<void> | undefined;

  /** @throws TidemarkError `unavailable` when nothing can be written into the folder */
  constructor(key: ObjectKey, parts: RecordSortParts) {
    this.#key = key;
    this.#hashes = parts.publishHashes.join();
    // One is as fast as the thread that reads.
    this.#sort = new RecordSort({ ...parts, threads: 1 });
  }

  /**
   * The bytes of the artifact, each of which is digested when the next are asked for.
   * @param length of the artifact, as far as it is known
   */
  async *copied(packed: AsyncIterable<Uint8Array>, length: number): AsyncGenerator<Uint8Array, void, undefined> {
    const copy = new PassThrough({ writableHighWaterMark: WAITING });
    this.#digesting = this.#digest(copy, length);
    // `take` awaits it. What waits for room must not wait for ever.
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

  /** The sort of what is to be applied, once: the caller closes it. Undefined when it is not there. */
  async take(key: ObjectKey, hashes: RecordSortParts['publishHashes']): Promise<RecordSort | undefined> {
    if (key !== this.#key || hashes.join() !== this.#hashes) return undefined;
    try {
      await this.#digesting;
    } catch {
      // The artifact is read instead, which says what is wrong, if it still is.
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
