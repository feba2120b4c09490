import { mapInOrder } from '../../lib/map-in-order.ts';
import {
  type PreparedEntry,
  type PrepareEntries,
  type PrepareParts,
  prepareEntries,
  type WantedEntry,
} from './prepare-entries.ts';

/** Bytes of a batch of entries: so few that those ahead take little memory, so many that a call of a thread pays. */
const BATCH_BYTES = 512 * 1024;
/** More than a header has besides the name of its entry. */
const HEADER_BYTES = 64;
const MOST_ENTRIES = 250;
/** Batches that are prepared at a time by one thread: while one is written, the next is read. */
const AHEAD = 2;
/** The same by two threads, and of them, those in the other thread: one more than it works at. */
const AHEAD_OF_TWO = 4;
const BESIDE = 2;

/** What an entry may be made of; what is not wanted is handed on as it is. */
export interface Item {
  readonly wanted: WantedEntry | undefined;
}

/** Some items, with what was prepared of each. */
export interface PreparedBatch<Some extends Item> {
  readonly items: readonly Some[];
  readonly prepared: readonly (PreparedEntry | undefined)[];
  /** Where the prepared entries are until the next batch is asked for. */
  readonly bytes: Uint8Array;
}

/** Prepares the entries of a package ahead of the thread that writes it: in that thread, and, if wanted, in another. */
export class PreparedAhead {
  readonly #parts: PrepareParts;
  readonly #inThread: PrepareEntries | undefined;
  readonly #free: SharedArrayBuffer[] = [];
  #beside = 0;

  /** @param inThread prepares in another thread; only in this one without it */
  constructor(parts: PrepareParts, inThread?: PrepareEntries) {
    this.#parts = parts;
    this.#inThread = inThread;
  }

  /** The same items in their order, in batches of another size. */
  async *batches<Some extends Item>(items: AsyncIterable<readonly Some[]>): AsyncGenerator<PreparedBatch<Some>> {
    const inThread = this.#inThread;
    let isFirst = true;
    const prepare = async (batch: readonly Some[]) => {
      const memory = this.#free.pop() ?? new SharedArrayBuffer(BATCH_BYTES);
      const bytes = new Uint8Array(memory);
      // Few items are prepared before the other thread would have started.
      const beside = isFirst || this.#beside === BESIDE ? undefined : inThread;
      isFirst = false;
      const wanted = batch.map((item) => item.wanted);
      const prepared = beside ? this.#counted(() => beside(wanted, bytes)) : prepareEntries(wanted, bytes, this.#parts);
      return { items: batch, prepared: await prepared, bytes, memory };
    };
    for await (const { memory, ...batch } of mapInOrder(cut(items), inThread ? AHEAD_OF_TWO : AHEAD, prepare)) {
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

/** Cuts items into batches, each of which has room in the buffer of one unless an item is larger than it. */
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

/** At most, in a package. */
function bytesOf({ entry, resource }: WantedEntry): number {
  // No UTF-16 unit takes more bytes.
  return HEADER_BYTES + entry.name.length * 3 + (resource.state.length ?? 0);
}
