/** A set of small numbers, stored as one bit for each number up to the largest. */
export class Bits {
  /** Number of members. */
  size = 0;
  #bytes: Uint8Array<ArrayBuffer>;

  /** @param largest the largest expected number; the set grows for larger ones */
  constructor(largest = 0) {
    this.#bytes = new Uint8Array((largest >> 3) + 1);
  }

  add(number: number): void {
    if (this.has(number)) return;
    this.size += 1;
    const at = number >> 3;
    if (at >= this.#bytes.length) {
      const grown = new Uint8Array(Math.max(at + 1, this.#bytes.length * 2));
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#bytes[at]! |= 1 << (number & 7);
  }

  has(number: number): boolean {
    // Beyond the end, the byte is undefined, which counts as 0.
    return (this.#bytes[number >> 3]! & (1 << (number & 7))) !== 0;
  }
}
