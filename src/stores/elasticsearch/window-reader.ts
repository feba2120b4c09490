import type { SetId } from '../../domain/resource-set.ts';
import type { Stamp } from '../../domain/stamp.ts';
import type { Window } from '../resource-index.ts';
import type { Cluster } from './cluster.ts';
import type { IndexNames } from './schema.ts';
import type { StandingReader } from './standing-reader.ts';

/** The most hits of one search: the default of `max_result_window`. */
const PER_SEARCH = 10_000;

interface WindowDocument {
  readonly number: number;
  readonly first_stamp: Stamp;
  readonly changes: number;
}

/** Reads the windows of sets: documents of those that are closed, and what the ledger has of the open one. */
export class WindowReader {
  readonly #cluster: Cluster;
  readonly #names: IndexNames;
  readonly #standings: StandingReader;

  constructor(cluster: Cluster, names: IndexNames, standings: StandingReader) {
    this.#cluster = cluster;
    this.#names = names;
    this.#standings = standings;
  }

  /** All windows of a set in order; undefined when some were closed so lately that a search does not find them: then their index is to be refreshed. */
  async read(set: SetId): Promise<readonly Window[] | undefined> {
    const [closed, [ledger]] = await Promise.all([this.#closed(set), this.#standings.ledgersOf([set])]);
    // Commits are applied in any order: of the windows that a later commit than the last visible one has closed, some may be there.
    const gap = closed.findIndex(({ number }, at) => number !== at + 1);
    const windows = gap < 0 ? closed : closed.slice(0, gap);
    const { number, firstStamp, changes } = ledger!.window;
    if (number > windows.length + 1) return undefined;
    return number > windows.length ? [...windows, { number, from: firstStamp - 1, changes }] : windows;
  }

  async #closed(set: SetId): Promise<readonly Window[]> {
    const windows: Window[] = [];
    const filter = [{ term: { doc_type: 'window' } }, { term: { set } }];
    for (;;) {
      const last = windows.at(-1)?.number ?? 0;
      const found = await this.#cluster.search<WindowDocument>(this.#names.ledgers, {
        query: { bool: { filter } },
        sort: [{ number: 'asc' }],
        search_after: [last],
        size: PER_SEARCH,
      });
      for (const { number, first_stamp, changes } of found) windows.push({ number, from: first_stamp - 1, changes });
      if (found.length < PER_SEARCH) return windows;
    }
  }
}
