/** An open hash table in typed arrays. */
export class Slots {
  readonly keys: Uint32Array;
  readonly flags: Uint8Array;
  readonly listed: Uint32Array;
  /** A digest of the last change; of a resource without changes, the seconds of its `lastmod` in the list. */
  readonly changed: Uint32Array;
  readonly documents: Uint32Array;
  readonly lines: Uint32Array;

  constructor(length: number) {
    this.keys = new Uint32Array(2 * length);
    this.flags = new Uint8Array(length);
    this.listed = new Uint32Array(length);
    this.changed = new Uint32Array(length);
    this.documents = new Uint32Array(length);
    this.lines = new Uint32Array(length);
  }

  /** The slot of a digest, or the empty one where it belongs. */
  find(low: number, high: number): number {
    const { length } = this.flags;
    let slot = Math.floor((low / 2 ** 32) * length);
    while (this.keys[2 * slot] !== 0 && !(this.keys[2 * slot] === low && this.keys[2 * slot + 1] === high)) {
      slot = slot + 1 === length ? 0 : slot + 1;
    }
    return slot;
  }

  /** Frees the memory at once, not when garbage is collected. */
  free(): void {
    const { keys, flags, listed, changed, documents, lines } = this;
    for (const { buffer } of [keys, flags, listed, changed, documents, lines]) {
      if (buffer instanceof ArrayBuffer) buffer.transfer(0);
    }
  }

  copy(from: Slots, at: number): void {
    const slot = this.find(from.keys[2 * at]!, from.keys[2 * at + 1]!);
    this.keys[2 * slot] = from.keys[2 * at]!;
    this.keys[2 * slot + 1] = from.keys[2 * at + 1]!;
    this.flags[slot] = from.flags[at]!;
    this.listed[slot] = from.listed[at]!;
    this.changed[slot] = from.changed[at]!;
    this.documents[slot] = from.documents[at]!;
    this.lines[slot] = from.lines[at]!;
  }
}
