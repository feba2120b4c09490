import { createHash } from 'node:crypto';
import type { HarvestedList } from './harvested-list.ts';
import { SeenIdentifiers } from './seen-identifiers.ts';

/** How many times as long as it said a list may be. */
const MOST_TIMES = 1.5;
/** Pages after each other that have no new identifier. */
const MOST_OLD_PAGES = 2;

/**
 * Recognizes a list that does not end. What came before a process was killed is not known: a list that goes round is
 * then recognized a round later.
 */
export class EndlessList {
  readonly #tokens = new Set<string>();
  readonly #seen = new SeenIdentifiers();
  #oldPages = 0;

  /**
   * Why a list does not end; undefined as long as it may.
   * @param list with this page
   */
  problemAfter(
    { token, records, completeListSize }: HarvestedList,
    identifiers: readonly string[],
  ): string | undefined {
    let isNew = false;
    for (const identifier of identifiers) if (this.#seen.add(identifier)) isNew = true;
    this.#oldPages = isNew ? 0 : this.#oldPages + 1;
    if (token === undefined) return undefined;
    if (this.#hasSeen(token)) return 'the list does not end: its token was there before';
    if (this.#oldPages >= MOST_OLD_PAGES) return 'the list does not end: two pages have no new identifier';
    if (completeListSize === undefined || records <= completeListSize * MOST_TIMES) return undefined;
    return `the list does not end: it has ${records} records already, and was said to have ${completeListSize}`;
  }

  #hasSeen(token: string): boolean {
    const digest = createHash('sha256').update(token).digest('base64').slice(0, 16);
    if (this.#tokens.has(digest)) return true;
    this.#tokens.add(digest);
    return false;
  }
}
