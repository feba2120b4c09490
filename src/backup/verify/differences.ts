import type { ResourceKey } from '../../core/key.ts';

/**
 * - `order`: stamps of the log, or keys of the state, do not ascend
 * - `name`: the key of a resource does not match its URI, so that it may exist twice
 * - `state`: a state differs from the log
 * - `count`: two counts that must agree do not
 * - `missing`: in the state, but not in the root; `extra`: the other way round; `differing`: in both, with different
 *   bytes
 * - `document`: a served document differs from the one rendered from the store; `uri`: a list has a URI that it may not
 *   have
 * - `unreadable`: the root could not be read
 * - `damage`: the structure of the store's file is damaged, maybe in another set
 */
type DifferenceKind =
  | 'order'
  | 'name'
  | 'state'
  | 'count'
  | 'missing'
  | 'extra'
  | 'differing'
  | 'document'
  | 'uri'
  | 'unreadable'
  | 'damage';

export interface Difference {
  readonly kind: DifferenceKind;
  readonly key?: ResourceKey;
  /** The document at fault. */
  readonly document?: string;
  readonly message: string;
}

export interface Differences {
  readonly total: number;
  readonly byKind: Readonly<Partial<Record<DifferenceKind, number>>>;
  /** The first thousand of each kind. */
  readonly first: readonly Difference[];
}

const LISTED_OF_A_KIND = 1000;

/** Counts all differences, and keeps the first ones of each kind, so that many of one kind do not hide the others. */
export class DifferenceList {
  readonly #first: Difference[] = [];
  readonly #byKind: Partial<Record<DifferenceKind, number>> = {};
  #total = 0;

  add(difference: Difference): void {
    this.#total += 1;
    const count = (this.#byKind[difference.kind] ?? 0) + 1;
    this.#byKind[difference.kind] = count;
    if (count <= LISTED_OF_A_KIND) this.#first.push(difference);
  }

  result(): Differences {
    return { total: this.#total, byKind: this.#byKind, first: this.#first };
  }
}
