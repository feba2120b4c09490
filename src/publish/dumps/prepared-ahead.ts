import { mapInOrder } from '../../lib/map-in-order.ts';
import {
  type PreparedEntry,
  type PrepareEntries,
  type PrepareParts,
  prepareEntries,
  type WantedEntry,
} from './prepare-entries.ts';

/**
 * Bytes of a batch of entries: small, so that batches prepared in advance take little memory, but worth a call of a
 * thread.
 */
const BATCH_BYTES = 512 * 1024;
/** Upper limit of the bytes of a header besides the name of its entry. */
const HEADER_BYTES = 64;
const MOST_ENTRIES = 250;
/** Number of batches that one thread prepares at a time: while one is written, the next is read. */
const AHEAD = 2;
/**
 * The same for two threads, and the most of these that are in the other thread. With 4 and 2, it waited for 40 % of the
 * time, and a dump of 100,000 files took a tenth longer.
 */
const AHEAD_OF_TWO = 8;
const BESIDE = 6;

/** Something that an entry may be made of. An item without `wanted` is passed through unchanged. */
export interface Item {
  readonly wanted: WantedEntry | undefined;
}

/** Some items, and the prepared entry of each. */
export interface PreparedBatch<Some extends Item> {
  readonly items: readonly Some[];
  readonly prepared: readonly (PreparedEntry | undefined)[];
  /** The prepared entries; valid until the next batch is requested. */
  readonly bytes: Uint8Array;
}

/** Prepares entries in another thread. */
export interface OtherThread {
  /** While it starts, `prepare` would wait for that. */
  readonly isReady: boolean;
  readonly prepare: PrepareEntries;
}

/** Prepares the entries of a package in advance: in the thread that writes it, and optionally in another one. */
export class PreparedAhead {
  readonly #parts: PrepareParts;
  readonly #other: OtherThread | undefined;
  readonly #free: SharedArrayBuffer[] = [];
  #beside = 0;

  /** @param other without it, only this thread prepares */
  constructor(parts: PrepareParts, other?: OtherThread) {
    this.#parts = parts;
    this.#other = other;
  }

  /** The same items in order, in batches of another size. */
  async *batches<Some extends Item>(items: AsyncIterable<readonly Some[]>): AsyncGenerator<PreparedBatch<Some>> {
    const other = this.#other;
    const prepare = async (batch: readonly Some[]) => {
      const memory = this.#free.pop() ?? new SharedArrayBuffer(BATCH_BYTES);
      const bytes = new Uint8Array(memory);
      const isBeside = other?.isReady && this.#beside < BESIDE;
      const wanted = batch.map((item) => item.wanted);
      const prepared = isBeside
        ? this.#counted(() => other.prepare(wanted, bytes))
        : prepareEntries(wanted, bytes, this.#parts);
      return { items: batch, prepared: await prepared, bytes, memory };
    };
    for await (const { memory, ...batch } of mapInOrder(cut(items), other ? AHEAD_OF_TWO : AHEAD, prepare)) {
      yield batch;
      this.#free.push(memory);
    }
  }

  async #counted<Result>(prepare: () => Promise<Result>): Promise<Result> {
    this.#beside += 1;
    try {
      return await prepare();
    } finally {
      this.#beside -= 1;
    }
  }
}

/** Cuts items into batches that fit the buffer, unless a single item is larger. */
async function* cut<Some extends Item>(items: AsyncIterable<readonly Some[]>): AsyncGenerator<readonly Some[]> {
  let batch: Some[] = [];
  let bytes = 0;
  for await (const some of items) {
    for (const item of some) {
      const length = item.wanted === undefined ? 0 : bytesOf(item.wanted);
      if (batch.length === MOST_ENTRIES || (batch.length > 0 && bytes + length > BATCH_BYTES)) {
        yield batch;
        batch = [];
        bytes = 0;
      }
      batch.push(item);
      bytes += length;
    }
  }
  if (batch.length > 0) yield batch;
}

/** Most bytes of the entry in a package. */
function bytesOf({ entry, resource }: WantedEntry): number {
  // No UTF-16 code unit takes more bytes.
  return HEADER_BYTES + entry.name.length * 3 + (resource.state.length ?? 0);
}
