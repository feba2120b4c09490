import { RecordWalk, type Walkable, type WalkedRecord } from './walk-records.ts';

/**
 * The records of one decompressed block, by position. The beginnings of records are found once: a client that copies a
 * set reads them all.
 */
export class BlockRecords {
  readonly #block: Walkable;
  readonly #walk: RecordWalk;
  /** Positions in bytes of the records that were found so far. */
  readonly #starts: number[] = [];

  constructor(block: Walkable) {
    this.#block = block;
    this.#walk = new RecordWalk(block);
  }

  /** Bytes of the decompressed block. */
  get bytes(): number {
    return this.#block.data.byteLength;
  }

  /**
   * The record at a position; undefined when the block has fewer.
   * @throws TidemarkError `invalid` when the block is damaged before that record's end
   */
  at(position: number): WalkedRecord | undefined {
    while (this.#starts.length <= position) {
      const start = this.#walk.position;
      if (this.#walk.next() === undefined) return undefined;
      this.#starts.push(start);
    }
    return new RecordWalk(this.#block, this.#starts[position]).next();
  }
}
