import { isTidemarkError } from '../../core/errors.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { Catalog } from '../../stores/catalog.ts';
import type { PostingEntry } from './posting-entry.ts';
import { sizeOf } from './posting-entry.ts';

/**
 * The most entries stored for a set; fewer when they are long. The oldest ones are only those with a rejection or a
 * problem.
 */
export const MOST_ENTRIES = 300;
const MOST_RECENT = 200;
const MOST_SIZE = 200_000;

const ATTEMPTS = 10;

interface Body {
  /** In the order in which they began. */
  readonly entries: readonly PostingEntry[];
}

/** The postings in the catalog, one document per set, to which all processes add. */
export class StoredPostings {
  readonly #catalog: Pick<Catalog, 'get' | 'put'>;

  constructor(catalog: Pick<Catalog, 'get' | 'put'>) {
    this.#catalog = catalog;
  }

  async read(set: SetId): Promise<readonly PostingEntry[]> {
    return (await this.#catalog.get<Body>('journal', String(set)))?.body.entries ?? [];
  }

  /**
   * Adds entries; they replace stored ones of the same id.
   * @throws TidemarkError `unavailable`, `conflict` when other processes keep writing
   */
  async add(set: SetId, entries: readonly PostingEntry[]): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const stored = await this.#catalog.get<Body>('journal', String(set));
      const body: Body = { entries: lastOf(stored?.body.entries ?? [], entries) };
      try {
        await this.#catalog.put('journal', String(set), body, stored?.version);
        return;
      } catch (error) {
        if (!isTidemarkError(error, 'conflict') || attempt === ATTEMPTS) throw error;
      }
    }
  }
}

/**
 * The last entries of both, in the order in which they began, and before them the last ones with a rejection or a
 * problem.
 */
export function lastOf(stored: readonly PostingEntry[], more: readonly PostingEntry[]): readonly PostingEntry[] {
  const byId = new Map([...stored, ...more].map((entry) => [entry.id, entry]));
  const kept: PostingEntry[] = [];
  let size = 0;
  for (const entry of [...byId.values()].sort((a, b) => b.began - a.began)) {
    if (kept.length >= MOST_RECENT && !hadTrouble(entry)) continue;
    size += sizeOf(entry);
    if (size > MOST_SIZE || kept.length === MOST_ENTRIES) break;
    kept.push(entry);
  }
  return kept.reverse();
}

function hadTrouble({ rejected, problem }: PostingEntry): boolean {
  return rejected > 0 || problem !== undefined;
}
