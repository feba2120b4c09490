import { createHash } from 'node:crypto';
import type { HarvestedList } from './harvested-list.ts';
import { SeenIdentifiers } from './seen-identifiers.ts';

/** How many times as long as it said a list may be. */
const MOST_TIMES = 1.5;
/** Pages after each other that have no new identifier. */
const MOST_OLD_PAGES = 2;
/** The part of identifiers that may be taken for known ones by mistake: see SeenIdentifiers. */
const MOST_UNCOUNTED = 0.001;

/**
 * Recognizes a list that does not end. What came before a process was killed is not known: a list that goes round is
 * then recognized a round later.
 */
export class EndlessList {
  readonly #tokens = new Set<string>();
  readonly #seen = new SeenIdentifiers();
  #oldPages = 0;
  #pages = 0;
  #identifiers = 0;
  /** Whether a page had several identifiers, none of them new. */
  #hasRepeated = false;

  /**
   * Why a list does not end; undefined as long as it may.
   * @param list with this page
   */
  problemAfter(
    { token, records, pages, completeListSize }: HarvestedList,
    identifiers: readonly string[],
  ): string | undefined {
    let added = 0;
    for (const identifier of identifiers) if (this.#seen.add(identifier)) added += 1;
    this.#pages += 1;
    this.#identifiers += added;
    this.#oldPages = added > 0 ? 0 : this.#oldPages + 1;
    if (added === 0 && identifiers.length > 1) this.#hasRepeated = true;
    if (token === undefined) return this.#pages === pages ? this.#repetition(completeListSize) : undefined;
    if (this.#hasSeen(token)) return 'the list does not end: its token was there before';
    if (this.#oldPages >= MOST_OLD_PAGES) return 'the list does not end: two pages have no new identifier';
    if (completeListSize === undefined || records <= completeListSize * MOST_TIMES) return undefined;
    return `the list does not end: it has ${records} records already, and was said to have ${completeListSize}`;
  }

  /** A page that came twice, in place of another one, which its number of records does not show. */
  #repetition(completeListSize = 0): string | undefined {
    if (!this.#hasRepeated || this.#identifiers * (1 + MOST_UNCOUNTED) >= completeListSize) return undefined;
    return `a page came twice: the list has ${this.#identifiers} different records, and was said to have ${completeListSize}`;
  }

  #hasSeen(token: string): boolean {
    const digest = createHash('sha256').update(token).digest('base64').slice(0, 16);
    if (this.#tokens.has(digest)) return true;
    this.#tokens.add(digest);
    return false;
  }
}
