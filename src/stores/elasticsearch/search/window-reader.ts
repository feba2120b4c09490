import { TidemarkError } from '../../../core/errors.ts';
import type { SetId } from '../../../core/resource-set.ts';
import type { Stamp } from '../../../core/stamp.ts';
import type { Cluster } from '../../../lib/elasticsearch/cluster.ts';
import type { Window } from '../../set-statistics.ts';
import type { CurrentStateReader } from '../current-state-reader.ts';
import type { IndexNames } from '../index-names.ts';

/** The most hits of one search: the default of `max_result_window`. */
const PER_SEARCH = 10_000;

interface WindowDocument {
  readonly number: number;
  readonly first_stamp: Stamp;
  readonly changes: number;
}

/** There are fewer windows than `closed`, while a search does not find all of them yet. */
interface FoundWindows {
  readonly windows: readonly Window[];
  /** Number of closed windows of the set. */
  readonly closed: number;
}

/** Reads the windows of sets: the documents of closed ones, and the open one from the ledger. */
export class WindowReader {
  readonly #cluster: Cluster;
  readonly #names: IndexNames;
  readonly #currentStates: CurrentStateReader;

  constructor(cluster: Cluster, names: IndexNames, currentStates: CurrentStateReader) {
    this.#cluster = cluster;
    this.#names = names;
    this.#currentStates = currentStates;
  }

  /**
   * Reads the windows of a set, in order. Some that were closed recently are found only after a refresh of their index.
   * @param atLeast number of closed windows that the index must contain, as read before its refresh
   * @throws TidemarkError `unavailable` when it contains fewer
   */
  async read(set: SetId, atLeast: number): Promise<FoundWindows> {
    const [closed, [ledger]] = await Promise.all([this.#closed(set), this.#currentStates.ledgersOf([set])]);
    // Commits are applied in any order: windows that are closed by a commit after the last visible one may exist
    // already, after a gap.
    const gap = closed.findIndex(({ number }, at) => number !== at + 1);
    const windows = gap < 0 ? closed : closed.slice(0, gap);
    if (windows.length < atLeast) throw missing(this.#names.ledgers, { set, number: windows.length + 1 });
    const { number, firstStamp, changes } = ledger!.window;
    const open = number === windows.length + 1 ? [{ number, from: firstStamp - 1, changes }] : [];
    return { windows: [...windows, ...open], closed: number - 1 };
  }

  async #closed(set: SetId): Promise<readonly Window[]> {
    const windows: Window[] = [];
    const filter = [{ term: { doc_type: 'window' } }, { term: { set } }];
    for (;;) {
      const last = windows.at(-1)?.number ?? 0;
      const found = await this.#cluster.search<WindowDocument>({
        index: this.#names.ledgers,
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

function missing(index: string, { set, number }: { set: SetId; number: number }): TidemarkError {
  return new TidemarkError(
    'unavailable',
    `window ${number} of the set with the id ${set} is missing in ${index}: restore that index from a snapshot`,
  );
}
