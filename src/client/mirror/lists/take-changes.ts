import type { Document, Entry } from '../../read/document.ts';
import { digestOf } from '../names/safe-name.ts';
import { timeOf, type WantedResource, wantedOf } from './wanted-resource.ts';

/** The position up to which changes have been applied. */
export interface Cursor {
  /** Microseconds since 1970. */
  readonly time: number;
  /** Digests of the changes that are applied, and whose time may be later than the cursor: many have whole seconds. */
  readonly seen: readonly string[];
  /** The number of changes before the cursor in the Change List that was read last: if it has more, some came late. */
  readonly before?: { readonly uri: string; readonly count: number } | undefined;
}

/** The changes from the cursor on cannot be known: only the Resource List shows what has changed. */
export class ChangesMissing extends Error {
  /** Whether changes are missing, and not only the times of some. */
  readonly isGap: boolean;

  constructor(message: string, isGap = true) {
    super(message);
    this.isGap = isGap;
  }
}

/** The changes that may be later than the cursor. When there are this many more, those that cannot be are forgotten. */
const FORGET_AFTER = 1_000;

export interface ChangeListener {
  /** @param order of the change: as time, or after the changes before it in the list */
  onChange(wanted: WantedResource, order: number): void;
  /** Called for a change without a time that may have been made before the cursor. */
  onUnsure?(wanted: WantedResource): void;
}

/** Passes on changes after a cursor, and computes the next cursor. */
export class ChangeTaker {
  readonly #cursor: Cursor;
  readonly #listener: ChangeListener;
  /** How many equal changes were applied before, by their digest. */
  readonly #applied = new Map<string, number>();
  #time: number;
  #seen: { readonly uri: string; readonly end: number; readonly digest: string }[] = [];
  /** Of the list that is read: its URI, the number of its changes, and of those before the cursor. */
  #list = { uri: '', count: 0, before: 0 };
  #forgetAt = FORGET_AFTER;
  #isUndated = false;

  constructor(cursor: Cursor, listener: ChangeListener) {
    this.#cursor = cursor;
    this.#time = cursor.time;
    this.#listener = listener;
    for (const digest of cursor.seen) this.#applied.set(digest, (this.#applied.get(digest) ?? 0) + 1);
  }

  take(entry: Entry, { uri, md }: Document): void {
    if (this.#list.uri !== uri) this.#list = { uri, count: 0, before: 0 };
    this.#list.count += 1;
    const wanted = wantedOf(entry, true);
    const { stamp } = wanted;
    if (stamp === undefined || entry.md.datetime === undefined) {
      this.#takeUndated(wanted, timeOf(md.from));
      return;
    }
    const end = endOf(entry.md.datetime, stamp);
    if (end <= this.#cursor.time) {
      this.#list.before += 1;
      return;
    }
    this.#time = Math.max(this.#time, stamp);
    const digest = digestOfChange(entry);
    this.#see({ uri, end, digest });
    if (stamp > this.#cursor.time || !this.#wasApplied(digest)) this.#listener.onChange(wanted, stamp);
  }

  /**
   * A list that begins at the cursor or later has only changes that are after it, in order (ResourceSync 1.1, 12.1).
   * Elsewhere, one without a time may be older than the copy, and would undo what came after it.
   * @param from the beginning of the list
   */
  #takeUndated(wanted: WantedResource, from = Number.NEGATIVE_INFINITY): void {
    this.#isUndated = true;
    const { isDeleted, lastmod, stamp } = wanted;
    if (from >= this.#cursor.time) this.#listener.onChange(wanted, Math.max(this.#time, from));
    else if (!isDeleted && stamp !== undefined && endOf(lastmod!, stamp) > this.#cursor.time) {
      this.#listener.onChange(wanted, stamp);
    } else this.#listener.onUnsure?.(wanted);
  }

  /** Begins the next cursor here at the earliest: nothing before is in the list. */
  advance(time: number): void {
    this.#time = Math.max(this.#time, time);
  }

  /**
   * A closed list contains every change before its `until`.
   * @throws ChangesMissing when the list has a change from before the cursor that it did not have at the last read
   */
  end({ md, uri }: Document): void {
    this.advance(timeOf(md.until) ?? 0);
    const { before } = this.#cursor;
    if (uri !== before?.uri || this.#list.uri !== uri || this.#list.before <= before.count) return;
    throw new ChangesMissing('the Change List has changes that were added before the last one');
  }

  /**
   * The cursor after the changes that were taken.
   * @throws ChangesMissing when some of them have no time, or an invalid one
   */
  cursor(): Cursor {
    if (this.#isUndated) throw new ChangesMissing('the Change List has changes without a time', false);
    this.#forget();
    const { uri, count } = this.#list;
    const later = this.#seen.filter((seen) => seen.uri === uri).length;
    const before = { uri, count: count - later };
    return { time: this.#time, seen: this.#seen.map(({ digest }) => digest), before };
  }

  #see(change: { readonly uri: string; readonly end: number; readonly digest: string }): void {
    this.#seen.push(change);
    if (this.#seen.length < this.#forgetAt) return;
    this.#forget();
    this.#forgetAt = this.#seen.length * 2 + FORGET_AFTER;
  }

  #forget(): void {
    this.#seen = this.#seen.filter(({ end }) => end > this.#time);
  }

  /** Of several equal changes, as many were applied as were seen before. */
  #wasApplied(digest: string): boolean {
    const left = this.#applied.get(digest) ?? 0;
    if (left > 0) this.#applied.set(digest, left - 1);
    return left > 0;
  }
}

/** Microseconds since 1970 before which a change was made whose time may be rounded down, to a second or more. */
function endOf(text: string, stamp: number): number {
  if (/\d[.,]\d/.test(text)) return stamp + 1;
  if (/T\d\d:\d\d:\d\d/.test(text)) return stamp + 1_000_000;
  if (text.includes('T')) return stamp + 60_000_000;
  return stamp + daysOf(text.trim()) * 86_400_000_000;
}

/** Most days of a date: `2026-01-31`, `2026-01` or `2026`. */
function daysOf({ length }: string): number {
  if (length > 7) return 1;
  return length > 4 ? 31 : 366;
}

function digestOfChange({ loc, lastmod, md: { change, hash, length } }: Entry): string {
  return digestOf(JSON.stringify([loc, lastmod, change, hash, length]), 16);
}
