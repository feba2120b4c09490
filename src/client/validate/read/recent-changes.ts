import type { Document, Entry } from '../../read/document.ts';
import type { Contradiction } from '../rules/rule.ts';
import { instantOf } from '../rules/times.ts';

const MOST = 50_000;

/** The kept parts of an entry. There are no strings: a substring would keep a part of the document in memory. */
interface RecentChange {
  /** Digest of the attributes. */
  readonly state: number;
  /** Microseconds since 1970. */
  readonly time: number;
  readonly line: number;
  /** Length in characters of its location, which is the beginning of its name in the map. */
  readonly length: number;
  isSeen: boolean;
}

/**
 * The changes of the flat list beside a Change List. Where both cover the same time, they must have the same changes.
 * The flat list is read first, so that the other one has all of its changes.
 */
export class RecentChanges {
  document: Document | undefined;
  readonly #changes = new Map<string, RecentChange>();
  readonly #contradictions: Contradiction[] = [];
  #last = Number.NEGATIVE_INFINITY;

  add(entry: Entry): void {
    const { line, loc, md } = entry;
    this.#last = instantOf(md.datetime);
    if (this.#changes.size >= MOST) return;
    const change = { state: stateOf(entry), time: this.#last, line, length: loc.length, isSeen: false };
    this.#changes.set(nameOf(entry), change);
  }

  /** Compares an entry of the Change List. */
  compare(entry: Entry, { uri }: Document): void {
    if (this.document === undefined) return;
    const change = this.#changes.get(nameOf(entry));
    if (change !== undefined) {
      change.isSeen = true;
      if (change.state !== stateOf(entry)) this.#add('different', entry, uri);
      return;
    }
    const time = instantOf(entry.md.datetime);
    if (time > instantOf(this.document.md.from) && time < this.#last) this.#add('lacking', entry, uri);
  }

  /**
   * The contradictions in the time that both lists cover.
   * @param from
   * @param until what the Change List covers
   */
  contradictions(from: string | undefined, until: string | undefined): readonly Contradiction[] {
    if (this.document === undefined || this.document.failure !== undefined) return [];
    const [first, last] = [instantOf(from), instantOf(until)];
    for (const [name, { isSeen, time, line, length }] of this.#changes) {
      if (isSeen || !(time > first) || time > last) continue;
      this.#add('lacking', { line, loc: name.slice(0, length) }, this.document.uri);
    }
    return this.#contradictions;
  }

  #add(kind: Contradiction['kind'], { line, loc }: Pick<Entry, 'line' | 'loc'>, document: string): void {
    if (this.#contradictions.length < MOST) this.#contradictions.push({ kind, document, line, loc });
  }
}

// `join` makes a new string, which keeps no part of the document in memory.
const nameOf = ({ loc, md }: Entry) => [loc, md.datetime].join(' ');
const stateOf = ({ lastmod, md }: Entry) =>
  digestOf([lastmod, md.change, md.hash, md.length, md.type, md.encoding].join('\n'));

/** 32 bits (FNV-1a). */
function digestOf(text: string): number {
  let digest = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) digest = Math.imul(digest ^ text.charCodeAt(at), 0x01000193);
  return digest;
}
