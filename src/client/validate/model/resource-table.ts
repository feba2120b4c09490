import { Slots } from './slots.ts';

/** The position of an entry: the number of its document in reading order, and its line. */
interface EntryPosition {
  readonly document: number;
  readonly line: number;
}

/** A difference between the Resource List and the changes of the same set. */
export interface Difference extends EntryPosition {
  readonly kind: 'missing' | 'not-deleted' | 'another-hash' | 'no-change';
}

const DELETED = 0xffffffff;
const NO_HASH = 1;
const LISTED = 1;
const CHANGED_LATER = 2;
const CHANGED = 4;
const MOST_SLOTS = 2 ** 21;
const FEWEST_SLOTS = 2 ** 10;
const FULL = 0.8;
const GROWTH = 1.5;

/**
 * The state of each resource by the lists of a set, in at most 60 MB. Resources are stored as digests of 64 bits, so
 * that a million fit. When the table is full, it drops half of the resources, selected by the digest, and continues
 * with the others: it then has one of `share` resources.
 */
export class ResourceTable {
  /** The table has one of this number of resources. */
  share = 1;
  readonly #most: number;
  #size = 0;
  #slots: Slots;
  #low = 0;
  #high = 0;

  constructor(most = MOST_SLOTS) {
    this.#most = most;
    this.#slots = new Slots(Math.min(most, FEWEST_SLOTS));
  }

  /** Adds a resource of a list. Returns whether it was listed before. */
  list(uri: string, { hash, modified, place }: TableResource): boolean {
    const slot = this.#slotOf(uri);
    if (slot < 0) return false;
    if ((this.#slots.flags[slot]! & LISTED) !== 0) return true;
    this.#slots.flags[slot]! |= LISTED;
    const { flags, listed, changed, documents, lines } = this.#slots;
    listed[slot] = digestOf(hash);
    if ((flags[slot]! & CHANGED) !== 0) return false;
    // 0 when the time is unknown, or before 1970.
    changed[slot] = Number.isNaN(modified) ? 0 : Math.max(0, Math.floor(modified / 1e6));
    documents[slot] = place.document;
    lines[slot] = place.line;
    return false;
  }

  /**
   * Adds a change; changes are added in order.
   * @param isLater whether the change was at or after the time of the list
   */
  change(uri: string, { hash, isDeleted, isLater, place }: TableChange): void {
    const slot = this.#slotOf(uri);
    if (slot < 0) return;
    const { flags, changed, documents, lines } = this.#slots;
    flags[slot]! |= isLater ? CHANGED_LATER | CHANGED : CHANGED;
    changed[slot] = isDeleted ? DELETED : digestOf(hash);
    documents[slot] = place.document;
    lines[slot] = place.line;
  }

  /** Whether a list or a change named the resource; true also for one that is not in the table's share. */
  knows(uri: string): boolean {
    this.#digest(uri);
    return !this.#isOfShare() || this.#slots.lows[this.#find()] !== 0;
  }

  isListed(uri: string): boolean {
    return this.#hasFlag(uri, LISTED, true);
  }

  changedLater(uri: string): boolean {
    return this.#hasFlag(uri, CHANGED_LATER, false);
  }

  /** Whether the entry at a place is the last change of its resource. */
  isLastChange(uri: string, place: EntryPosition): boolean {
    this.#digest(uri);
    if (!this.#isOfShare()) return false;
    const slot = this.#find();
    return this.#slots.documents[slot] === place.document && this.#slots.lines[slot] === place.line;
  }

  /**
   * Yields the resources whose state by the changes before the time of the list differs from the list.
   * @param from when the changes begin, microseconds since 1970: a resource that was modified later must have a change
   */
  *differences(from: number): Generator<Difference> {
    const { lows, flags, listed, changed, documents, lines } = this.#slots;
    for (let slot = 0; slot < flags.length; slot++) {
      if (lows[slot] === 0 || (flags[slot]! & CHANGED_LATER) !== 0) continue;
      const isListed = (flags[slot]! & LISTED) !== 0;
      const isUnchanged = (flags[slot]! & CHANGED) === 0;
      const lacksChange = isUnchanged && changed[slot]! * 1e6 > from;
      const kind = isUnchanged
        ? lacksChange
          ? 'no-change'
          : undefined
        : differenceOf(isListed, listed[slot]!, changed[slot]!);
      if (kind !== undefined) yield { kind, document: documents[slot]!, line: lines[slot]! };
    }
  }

  #hasFlag(uri: string, flag: number, otherwise: boolean): boolean {
    this.#digest(uri);
    return this.#isOfShare() ? (this.#slots.flags[this.#find()]! & flag) !== 0 : otherwise;
  }

  /** Finds or creates the slot of a resource; -1 when it is not in the share. */
  #slotOf(uri: string): number {
    this.#digest(uri);
    if (!this.#isOfShare()) return -1;
    const slot = this.#find();
    if (this.#slots.lows[slot] !== 0) return slot;
    if (this.#size >= this.#slots.length * FULL) {
      this.#grow();
      return this.#slotOf(uri);
    }
    this.#size++;
    this.#slots.lows[slot] = this.#low;
    this.#slots.highs[slot] = this.#high;
    return slot;
  }

  #find(): number {
    return this.#slots.find(this.#low, this.#high);
  }

  #isOfShare(): boolean {
    return this.#high % this.share === 0;
  }

  #grow(): void {
    const { length } = this.#slots;
    const isFull = length >= this.#most;
    if (isFull) this.share *= 2;
    const longer = isFull ? this.#most : Math.min(this.#most, Math.ceil(length * GROWTH));
    this.#slots = new Slots(longer, this.#slots, (high) => high % this.share === 0);
    this.#size = this.#slots.count();
  }

  /**
   * Computes two independent digests of 32 bits (FNV-1a and a variant). The low one is never 0: that marks an empty
   * slot.
   */
  #digest(text: string): void {
    let low = 0x811c9dc5;
    let high = 0x9747b28c;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      low = Math.imul(low ^ code, 0x01000193);
      high = Math.imul(high ^ code, 0x5bd1e995);
      high ^= high >>> 15;
    }
    this.#low = mixed(low) || 1;
    this.#high = mixed(high);
  }
}

interface TableResource {
  readonly hash: string | undefined;
  /** Microseconds since 1970; NaN when it is unknown. */
  readonly modified: number;
  readonly place: EntryPosition;
}

interface TableChange {
  readonly hash: string | undefined;
  readonly isDeleted: boolean;
  readonly isLater: boolean;
  readonly place: EntryPosition;
}

function differenceOf(isListed: boolean, listed: number, changed: number): Difference['kind'] | undefined {
  if (changed === DELETED) return isListed ? 'not-deleted' : undefined;
  if (!isListed) return 'missing';
  // Hashes are comparable only if they are of the same algorithm.
  const isComparable = listed > NO_HASH && changed > NO_HASH && (listed & 3) === (changed & 3);
  return isComparable && listed !== changed ? 'another-hash' : undefined;
}

const ALGORITHMS = ['sha-256', 'sha-1', 'md5'];

/** Encodes the strongest hash of a list: bits of the hash and the algorithm. */
function digestOf(hashes: string | undefined): number {
  if (hashes === undefined) return NO_HASH;
  for (const [code, algorithm] of ALGORITHMS.entries()) {
    const at = hashes.indexOf(`${algorithm}:`);
    if (at < 0) continue;
    const digits = Number.parseInt(hashes.slice(at + algorithm.length + 1, at + algorithm.length + 8), 16);
    // 28 bits of the hash, a bit that the other codes do not have, and two bits of the algorithm.
    return Number.isNaN(digits) ? NO_HASH : ((digits << 3) >>> 0) | 4 | code;
  }
  return NO_HASH;
}

function mixed(value: number): number {
  let mix = value ^ (value >>> 16);
  mix = Math.imul(mix, 0x85ebca6b);
  mix ^= mix >>> 13;
  return (mix ^ (mix >>> 16)) >>> 0;
}
