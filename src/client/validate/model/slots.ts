/** Where a slot went that is not kept. */
const NOWHERE = 0xffffffff;

/**
 * An open hash table in typed arrays. None of them takes more bytes a slot than another: glibc takes memory from the
 * system for what is larger than all that was freed before, and else from a heap that never becomes smaller.
 */
export class Slots {
  /** The two halves of the digests; an empty slot has 0 in the first. */
  readonly lows: Uint32Array;
  readonly highs: Uint32Array;
  readonly flags: Uint8Array;
  readonly listed: Uint32Array;
  /** A digest of the last change; of a resource without changes, the seconds of its `lastmod` in the list. */
  readonly changed: Uint32Array;
  readonly documents: Uint32Array;
  readonly lines: Uint32Array;

  /** Empty, or with what of a smaller table is kept, which is freed. */
  constructor(length: number, before?: Slots, isKept: (high: number) => boolean = () => true) {
    this.lows = new Uint32Array(length);
    this.highs = new Uint32Array(length);
    const places = before === undefined ? undefined : this.#takeKeys(before, isKept);
    // One column after the other: both tables as a whole would need twice the memory.
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

  /** The slot of a digest, or the empty one where it belongs. */
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

  /** Returns where each slot went. */
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

/** Fills a column with that of the table before, which is freed. */
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

/** At once, not when garbage is collected. */
function free({ buffer }: Uint8Array | Uint32Array): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
