import { hash } from 'node:crypto';

/** Identifiers after which those that came long before are forgotten. */
const MOST = 500_000;

/**
 * Remembers identifiers by 32 bits of each: of a million, one in some thousands is then taken for a known one, which
 * does not matter for a whole page.
 */
export class SeenIdentifiers {
  #last = new Set<number>();
  #before = new Set<number>();

  /** Whether it did not come before. */
  add(identifier: string): boolean {
    const short = hash('sha1', identifier, 'buffer').readInt32BE();
    if (this.#last.has(short) || this.#before.has(short)) return false;
    if (this.#last.size >= MOST) [this.#before, this.#last] = [this.#last, new Set()];
    this.#last.add(short);
    return true;
  }
}
