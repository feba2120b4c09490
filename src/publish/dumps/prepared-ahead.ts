import { setImmediate } from 'node:timers/promises';
import { mapInOrder } from '../../lib/calls/map-in-order.ts';
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
/** The same for two threads. */
const AHEAD_OF_TWO = 8;
/** Most batches that the other thread has: while this one prepares a batch, or writes, the other one has more. */
const BESIDE = 3;

/** Something that an entry may be made of. An item without `wanted` is passed through unchanged. */
export interface PackedItem {
  readonly wanted: WantedEntry | undefined;
}

/** Some items, and the prepared entry of each. */
export interface PreparedBatch<Some extends PackedItem> {
  readonly items: readonly Some[];
  readonly prepared: readonly (PreparedEntry | undefined)[];
  /** The prepared entries; valid until the next batch is requested. */
  readonly bytes: Uint8Array;
}

type Wanted = readonly (WantedEntry | undefined)[];
type Prepared = readonly (PreparedEntry | undefined)[];

/** A batch that waits for a thread. */
interface WaitingBatch {
  readonly wanted: Wanted;
  readonly into: Uint8Array;
  readonly prepared: PromiseWithResolvers<Prepared>;
}

/** Prepares the entries of a package in advance: in the thread that writes it, and optionally in another one. */
export class PreparedAhead {
  readonly #parts: PrepareParts;
  readonly #other: PrepareEntries | undefined;
  readonly #free: SharedArrayBuffer[] = [];
  readonly #waiting: WaitingBatch[] = [];
  #beside = 0;
  #isPreparing = false;

  /** @param other prepares entries in another thread; without it, only this one does */
  constructor(parts: PrepareParts, other?: PrepareEntries) {
    this.#parts = parts;
    this.#other = other;
  }

  /** The same items in order, in batches of another size. */
  async *batches<Some extends PackedItem>(items: AsyncIterable<readonly Some[]>): AsyncGenerator<PreparedBatch<Some>> {
    const prepare = async (batch: readonly Some[]) => {
      const memory = this.#free.pop() ?? new SharedArrayBuffer(BATCH_BYTES);
      const bytes = new Uint8Array(memory);
      const wanted = batch.map((item) => item.wanted);
      return { items: batch, prepared: await this.#prepare(wanted, bytes), bytes, memory };
    };
    for await (const { memory, ...batch } of mapInOrder(cut(items), this.#other ? AHEAD_OF_TWO : AHEAD, prepare)) {
      yield batch;
      this.#free.push(memory);
    }
  }

  #prepare(wanted: Wanted, into: Uint8Array): Promise<Prepared> {
    if (this.#other === undefined) return prepareEntries(wanted, into, this.#parts);
    const waiting = { wanted, into, prepared: Promise.withResolvers<Prepared>() };
    this.#waiting.push(waiting);
    this.#share(this.#other);
    return waiting.prepared.promise;
  }

  /** Gives each thread the next batches as soon as it has room for them. */
  #share(other: PrepareEntries): void {
    while (this.#beside < BESIDE && this.#waiting.length > 0) {
      const batch = this.#waiting.shift()!;
      this.#prepareBeside(batch, other).catch(batch.prepared.reject);
    }
    if (this.#isPreparing || this.#waiting.length === 0) return;
    const batch = this.#waiting.shift()!;
    this.#prepareHere(batch, other).catch(batch.prepared.reject);
  }

  async #prepareBeside({ wanted, into, prepared }: WaitingBatch, other: PrepareEntries): Promise<void> {
    this.#beside += 1;
    await other(wanted, into).then(prepared.resolve, prepared.reject);
    this.#beside -= 1;
    this.#share(other);
  }

  async #prepareHere({ wanted, into, prepared }: WaitingBatch, other: PrepareEntries): Promise<void> {
    this.#isPreparing = true;
    await prepareEntries(wanted, into, this.#parts).then(prepared.resolve, prepared.reject);
    // Between two batches, what the other thread has prepared arrives, and is written.
    await setImmediate();
    this.#isPreparing = false;
    this.#share(other);
  }
}

/** Cuts items into batches that fit the buffer, unless a single item is larger. */
async function* cut<Some extends PackedItem>(items: AsyncIterable<readonly Some[]>): AsyncGenerator<readonly Some[]> {
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
