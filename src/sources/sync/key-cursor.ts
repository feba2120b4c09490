import type { ResourceKey } from '../../core/key.ts';

/**
 * Steps through batches item by item, and waits only between batches: awaiting each item would cost more than all the
 * rest.
 */
export class KeyCursor<Item> {
  readonly #batches: AsyncIterator<readonly Item[]>;
  readonly #keyOf: (item: Item) => ResourceKey;
  #batch: readonly Item[] = [];
  #at = 0;
  #ended = false;
  /** The key of `item`; undefined when there is none. */
  key: ResourceKey | undefined;

  constructor(batches: AsyncIterable<readonly Item[]>, keyOf: (item: Item) => ResourceKey) {
    this.#batches = batches[Symbol.asyncIterator]();
    this.#keyOf = keyOf;
  }

  /** The current item. Undefined at the end, and when the next batch must be awaited. */
  get item(): Item | undefined {
    return this.#batch[this.#at];
  }

  get needsBatch(): boolean {
    return !this.#ended && this.#at >= this.#batch.length;
  }

  async nextBatch(): Promise<void> {
    while (this.needsBatch) {
      const { value, done } = await this.#batches.next();
      this.#ended = done === true;
      this.#batch = done ? [] : value;
      this.#at = 0;
    }
    this.#readKey();
  }

  step(): void {
    this.#at += 1;
    this.#readKey();
  }

  /** Takes the item of this key and moves past it; undefined when the next item has another key. */
  takeAt(key: ResourceKey): Item | undefined {
    if (this.key !== key) return undefined;
    const { item } = this;
    this.step();
    return item;
  }

  async close(): Promise<void> {
    if (!this.#ended) await this.#batches.return?.();
  }

  #readKey(): void {
    const { item } = this;
    this.key = item === undefined ? undefined : this.#keyOf(item);
  }
}

type Merged = Pick<KeyCursor<never>, 'key' | 'needsBatch' | 'nextBatch' | 'close'>;

/** Steps through several sequences side by side, from the least key to the greatest. */
export class KeyMerge {
  readonly #cursors: readonly Merged[];

  constructor(...cursors: readonly Merged[]) {
    this.#cursors = cursors;
  }

  get needsBatch(): boolean {
    for (const cursor of this.#cursors) if (cursor.needsBatch) return true;
    return false;
  }

  async nextBatches(): Promise<void> {
    for (const cursor of this.#cursors) if (cursor.needsBatch) await cursor.nextBatch();
  }

  /** The least key of all; undefined at the end. */
  get key(): ResourceKey | undefined {
    let least: ResourceKey | undefined;
    for (const { key } of this.#cursors) if (key !== undefined && (least === undefined || key < least)) least = key;
    return least;
  }

  async close(): Promise<void> {
    for (const cursor of this.#cursors) await cursor.close();
  }
}
