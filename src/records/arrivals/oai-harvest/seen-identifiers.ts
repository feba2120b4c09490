/** Bits for each identifier, and how many of them are set for it: of 40,000 new ones, one is taken for a known one. */
const BITS_EACH = 32;
const HASHES = 6;
const FIRST_ROOM = 4_096;
/** Identifiers after which memory grows no more: 8 MB. Those that came long before are then forgotten. */
const MOST_ROOM = 2_000_000;

/**
 * Remembers identifiers in little memory (a Bloom filter that grows): whether one is new may be answered wrongly,
 * rarely enough for a whole page.
 */
export class SeenIdentifiers {
  #filters: { readonly bits: Uint32Array; readonly room: number; count: number }[] = [];

  /** Whether it did not come before. */
  add(identifier: string): boolean {
    const [one, other] = hashesOf(identifier);
    const isKnown = this.#filters.some(({ bits }) => placesIn(bits, one, other).every((at) => isSet(bits, at)));
    if (isKnown) return false;
    const filter = this.#current();
    for (const at of placesIn(filter.bits, one, other)) filter.bits[at >>> 5]! |= 1 << (at & 31);
    filter.count += 1;
    return true;
  }

  #current() {
    const last = this.#filters.at(-1);
    if (last !== undefined && last.count < last.room) return last;
    const room = Math.min((last?.room ?? FIRST_ROOM / 4) * 4, MOST_ROOM);
    const added = { bits: new Uint32Array((room * BITS_EACH) / 32), room, count: 0 };
    // Of filters of the full size, two stay.
    const kept = room === MOST_ROOM ? this.#filters.slice(-1) : this.#filters;
    this.#filters = [...kept, added];
    return added;
  }
}

const isSet = (bits: Uint32Array, at: number): boolean => (bits[at >>> 5]! & (1 << (at & 31))) !== 0;

function placesIn({ length }: Uint32Array, one: number, other: number): readonly number[] {
  const places: number[] = [];
  for (let hash = 0; hash < HASHES; hash++) places.push(((one + hash * other) >>> 0) % (length * 32));
  return places;
}

/** Two hashes of 32 bits (FNV-1a, with different beginnings and a last mixing). */
function hashesOf(text: string): readonly [number, number] {
  let [one, other] = [0x811c9dc5, 0x9747b28c];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other ^ unit, 0x5bd1e995);
  }
  return [mixed(one), mixed(other) | 1];
}

function mixed(hash: number): number {
  const first = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2ae35);
  return (second ^ (second >>> 16)) >>> 0;
}
