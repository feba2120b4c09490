/** Most ids of a file that are remembered: these take 16 MB. */
const MOST_IDS = 1_000_000;
const FIRST_SLOTS = 1_024;
/** Ids whose hashes were chosen to meet in one place must not take long. By chance, so many never do. */
const MOST_PROBES = 1_000;

/**
 * Finds the ids that a file has more than once, in memory that does not grow with it: of its first million ids, a hash
 * of 53 bits is kept. That two ids have the same hash happens once in ten thousand such files.
 */
export class RepeatedIds {
  readonly #most: number;
  /** An open hash table, at most half full; 0 is a free slot. */
  #slots = new Float64Array(FIRST_SLOTS);
  #count = 0;

  /** @param most for tests */
  constructor(most = MOST_IDS) {
    this.#most = most;
  }

  /** Adds an id. Returns whether it was added before. */
  add(id: string): boolean {
    const hash = hashOf(id);
    const slot = slotOf(this.#slots, hash);
    if (slot === undefined) return false;
    if (this.#slots[slot] === hash) return true;
    if (this.#count === this.#most) return false;
    this.#slots[slot] = hash;
    this.#count += 1;
    if (2 * this.#count > this.#slots.length) this.#grow();
    return false;
  }

  #grow(): void {
    const larger = new Float64Array(2 * this.#slots.length);
    for (const hash of this.#slots) {
      const slot = hash === 0 ? undefined : slotOf(larger, hash);
      if (slot !== undefined) larger[slot] = hash;
    }
    this.#slots = larger;
  }
}

/** The slot that has a hash, or is free for it; undefined when too many others are around it. */
function slotOf(slots: Float64Array, hash: number): number | undefined {
  const mask = slots.length - 1;
  for (let probe = 0, at = hash & mask; probe < MOST_PROBES; probe++, at = (at + 1) & mask) {
    if (slots[at] === hash || slots[at] === 0) return at;
  }
  return undefined;
}

/** 53 bits, never 0: two hashes of 32 bits that are computed alike with other factors (cyrb53). */
function hashOf(id: string): number {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < id.length; at++) {
    const unit = id.charCodeAt(at);
    high = Math.imul(high ^ unit, 0x9e3779b1);
    low = Math.imul(low ^ unit, 0x5f356495);
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0) || 1;
}
