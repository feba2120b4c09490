import type { Document, Entry } from '../model/document.ts';
import type { Contradiction } from '../rules/rule.ts';
import { instantOf } from '../rules/times.ts';

const MOST = 50_000;

interface RecentChange {
  readonly entry: Entry;
  isSeen: boolean;
}

/**
 * The changes of the flat list beside a Change List. Where both cover the same time, they must have the same changes.
 * It is read first: the other one, read later, has all of its changes.
 */
export class RecentChanges {
  document: Document | undefined;
  readonly #changes = new Map<string, RecentChange>();
  readonly #contradictions: Contradiction[] = [];
  #last = Number.NEGATIVE_INFINITY;

  add(entry: Entry): void {
    if (this.#changes.size < MOST) this.#changes.set(nameOf(entry), { entry, isSeen: false });
    this.#last = instantOf(entry.md.datetime);
  }

  /** An entry of the other list. */
  compare(entry: Entry, { uri }: Document): void {
    if (this.document === undefined) return;
    const change = this.#changes.get(nameOf(entry));
    if (change !== undefined) {
      change.isSeen = true;
      if (stateOf(change.entry) !== stateOf(entry)) this.#add('different', entry, uri);
      return;
    }
    const time = instantOf(entry.md.datetime);
    if (time > instantOf(this.document.md.from) && time < this.#last) this.#add('lacking', entry, uri);
  }

  /** @param from @param until what the other list covers */
  contradictions(from: string | undefined, until: string | undefined): readonly Contradiction[] {
    if (this.document === undefined || this.document.failure !== undefined) return [];
    for (const { entry, isSeen } of this.#changes.values()) {
      const time = instantOf(entry.md.datetime);
      if (!isSeen && time > instantOf(from) && !(time > instantOf(until)))
        this.#add('lacking', entry, this.document.uri);
    }
    return this.#contradictions;
  }

  #add(kind: Contradiction['kind'], { line, loc }: Entry, document: string): void {
    if (this.#contradictions.length < MOST) this.#contradictions.push({ kind, document, line, loc });
  }
}

const nameOf = ({ loc, md }: Entry) => `${loc} ${md.datetime}`;
const stateOf = ({ lastmod, md }: Entry) =>
  [lastmod, md.change, md.hash, md.length, md.type, md.encoding].map((value) => value ?? '').join('\n');
