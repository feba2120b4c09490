/** Marks a slot that is dropped. */
const NOWHERE = 0xffffffff;

/**
 * A hash table with open addressing, in typed arrays of at most four bytes a slot. glibc takes a block directly from
 * the system only if it is larger than all blocks that were freed before; smaller blocks come from a heap that never
 * shrinks.
 */
export class Slots {
  /** The two halves of the digests. An empty slot has 0 in `lows`. */
  readonly lows: Uint32Array;
  readonly highs: Uint32Array;
  readonly flags: Uint8Array;
  readonly listed: Uint32Array;
  /** A digest of the last change; for a resource without changes, the `lastmod` of the list in seconds since 1970. */
  readonly changed: Uint32Array;
  readonly documents: Uint32Array;
  readonly lines: Uint32Array;

  /** Creates an empty table, or moves the kept slots of a smaller table, and frees that table. */
  constructor(length: number, before?: Slots, isKept: (high: number) => boolean = () => true) {
    this.lows = new Uint32Array(length);
    this.highs = new Uint32Array(length);
    const places = before === undefined ? undefined : this.#takeKeys(before, isKept);
    // Moves one column at a time: two complete tables would need twice the memory.
    this.flags = moved(before?.flags, places, new Uint8Array(length));
    this.listed = moved(before?.listed, places, new Uint32Array(length));
    this.changed = moved(before?.changed, places, new Uint32Array(length));
    this.documents = moved(before?.documents, places, new Uint32Array(length));
    this.lines = moved(before?.lines, places, new Uint32Array(length));
    if (places !== undefined) free(places);
  }

  get length(): number {
    return this.lows.length;
  }

  /** Finds the slot of a digest, or the empty slot for it. */
  find(low: number, high: number): number {
    const { length } = this;
    let slot = Math.floor((low / 2 ** 32) * length);
    while (this.lows[slot] !== 0 && !(this.lows[slot] === low && this.highs[slot] === high)) {
      slot = slot + 1 === length ? 0 : slot + 1;
    }
    return slot;
  }

  count(): number {
    let count = 0;
    for (const low of this.lows) if (low !== 0) count++;
    return count;
  }

  /** Returns the new slot of each old slot. */
  #takeKeys({ lows, highs, length }: Slots, isKept: (high: number) => boolean): Uint32Array {
    const places = new Uint32Array(length).fill(NOWHERE);
    for (let at = 0; at < length; at++) {
      const low = lows[at]!;
      const high = highs[at]!;
      if (low === 0 || !isKept(high)) continue;
      const slot = this.find(low, high);
      this.lows[slot] = low;
      this.highs[slot] = high;
      places[at] = slot;
    }
    free(lows);
    free(highs);
    return places;
  }
}

/** Fills a column from the old one, and frees the old one. */
function moved<Column extends Uint8Array | Uint32Array>(
  from: Column | undefined,
  places: Uint32Array | undefined,
  to: Column,
): Column {
  if (from === undefined || places === undefined) return to;
  for (let at = 0; at < places.length; at++) if (places[at] !== NOWHERE) to[places[at]!] = from[at]!;
  free(from);
  return to;
}

/** Frees the memory at once, without waiting for garbage collection. */
function free({ buffer }: Uint8Array | Uint32Array): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
