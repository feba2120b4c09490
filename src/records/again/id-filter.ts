import { hash } from 'node:crypto';

const BITS_OF_ID = 16;
/** Bytes: with it, a hundred million ids take 64 MB, and one other id in ten passes. */
const MOST_BYTES = 64 * 1024 * 1024;
const LEAST_BYTES = 1_024;
/** Numbers that are taken of a hash. */
const HASHES = 4;

/**
 * A set of ids in bounded memory (a Bloom filter). Of ids that were not added, some pass, too, one in some 400: they
 * are read again for nothing, as all that is said of them is read.
 */
export class IdFilter {
  readonly #bytes: Uint8Array;

  /** @param ids how many will be added */
  constructor(ids: number) {
    this.#bytes = new Uint8Array(Math.min(Math.max(Math.ceil((ids * BITS_OF_ID) / 8), LEAST_BYTES), MOST_BYTES));
  }

  add(id: string): void {
    for (const bit of this.#bitsOf(id)) this.#bytes[bit >>> 3]! |= 1 << (bit & 7);
  }

  has(id: string): boolean {
    return this.#bitsOf(id).every((bit) => (this.#bytes[bit >>> 3]! & (1 << (bit & 7))) !== 0);
  }

  #bitsOf(id: string): readonly number[] {
    const digest = hash('sha1', id, 'buffer');
    const bits = this.#bytes.length * 8;
    return Array.from({ length: HASHES }, (_, at) => digest.readUInt32LE(at * 4) % bits);
  }
}
