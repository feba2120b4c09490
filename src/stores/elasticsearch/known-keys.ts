import type { SetId } from '../../core/resource-set.ts';

/** Most keys in memory, in 32 MB. */
const MOST_KEYS = 4_000_000;
const FIRST_SLOTS = 1_024;

/**
 * The keys of sets whose first commit happened while this process was running. Any other key never existed in these
 * sets, so its document need not be read: the first load of a set, which is the largest, reads nothing. It stores 32
 * bits of each key. A missing key may be reported as known, and is then read; a known key is never reported as missing.
 */
export class KnownKeys {
  readonly #mostKeys: number;
  readonly #sets = new Set<SetId>();
  /** Open addressing, at most half full; 0 marks a free slot. */
  #slots = new Uint32Array(FIRST_SLOTS);
  #keys = 0;

  constructor(mostKeys = MOST_KEYS) {
    this.#mostKeys = mostKeys;
  }

  /** Begins a set that no commit up to the head of the log has touched. */
  begin(set: SetId): void {
    this.#sets.add(set);
  }

  /**
   * Whether the key may have a state or an order.
   * @param id the `resourceId` of set and key
   */
  mayHold(set: SetId, id: string): boolean {
    if (!this.#sets.has(set)) return true;
    const print = fingerprint(id);
    return this.#slots[this.#slotOf(print)] === print;
  }

  /** Adds the keys of the next commit. */
  add(changes: readonly { readonly set: SetId; readonly id: string }[]): void {
    if (this.#sets.size === 0) return;
    for (const { set, id } of changes) if (this.#sets.has(set)) this.#add(fingerprint(id));
    if (this.#keys > this.#mostKeys) this.clear();
  }

  clear(): void {
    this.#sets.clear();
    this.#slots = new Uint32Array(FIRST_SLOTS);
    this.#keys = 0;
  }

  #add(print: number): void {
    const slot = this.#slotOf(print);
    if (this.#slots[slot] === print) return;
    this.#slots[slot] = print;
    this.#keys += 1;
    if (this.#keys * 2 > this.#slots.length) this.#grow();
  }

  /** The slot of a fingerprint, or the free slot for it. */
  #slotOf(print: number): number {
    const mask = this.#slots.length - 1;
    let slot = print & mask;
    while (this.#slots[slot] !== 0 && this.#slots[slot] !== print) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Uint32Array(before.length * 2);
    for (const print of before) if (print !== 0) this.#slots[this.#slotOf(print)] = print;
  }
}

/** A hash of eight characters, which contain 48 bits of a digest. Never 0. */
function fingerprint(id: string): number {
  let print = 0;
  for (let at = 0; at < 8; at++) print = Math.imul(print ^ id.charCodeAt(at), 0x0100_0193);
  // The lowest bits choose the slot, so they must depend on all characters.
  print = Math.imul(print ^ (print >>> 15), 0x2c1b_3c6d);
  return (print ^ (print >>> 13)) >>> 0 || 1;
}
