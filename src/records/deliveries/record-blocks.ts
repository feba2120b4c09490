import type { Block } from '../../artifacts/avro/avro-blocks.ts';
import { BLOCK_SIZE } from '../../artifacts/avro/block-size.ts';
import { encodeLong } from '../../artifacts/avro/long.ts';

/** Most bytes of the lengths in front of both texts of a record. */
const LENGTHS = 20;
const NO_DOCUMENT = Buffer.alloc(0);

/**
 * Encodes StreamRecords (`stream.Record.v1`) into blocks. It copies the bytes of documents: avsc would need a string of
 * each.
 */
export class RecordBlocks {
  #buffer = Buffer.allocUnsafeSlow(BLOCK_SIZE);
  #length = 0;
  #records = 0;
  #full: Block[] = [];

  /** Adds a record; without a document, its deletion. */
  add(id: string, document: Uint8Array = NO_DOCUMENT): void {
    const size = Buffer.byteLength(id) + document.length + LENGTHS;
    if (this.#length + size > this.#buffer.length) this.#finish(size);
    this.#text(Buffer.from(id));
    this.#text(document);
    this.#records += 1;
  }

  /** The full blocks, each returned once. */
  take(): readonly Block[] {
    const full = this.#full;
    this.#full = [];
    return full;
  }

  /** The remaining blocks, after the last record. */
  end(): readonly Block[] {
    this.#finish(0);
    return this.take();
  }

  #text(bytes: Uint8Array): void {
    const length = encodeLong(bytes.length);
    this.#buffer.set(length, this.#length);
    this.#buffer.set(bytes, this.#length + length.length);
    this.#length += length.length + bytes.length;
  }

  #finish(needed: number): void {
    if (this.#records > 0) this.#full.push({ data: this.#buffer.subarray(0, this.#length), records: this.#records });
    this.#buffer = Buffer.allocUnsafeSlow(Math.max(BLOCK_SIZE, needed));
    this.#length = 0;
    this.#records = 0;
  }
}
