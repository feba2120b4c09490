import { RowSorter } from '../digests/row-sorter.ts';
import { RunStore } from '../digests/run-store.ts';

/** Sorts rows on disk: a megabyte, and a page of each run, are in memory. */
export class SortedRows {
  readonly #runs: RunStore;
  #sorter: RowSorter | undefined = new RowSorter();
  size = 0;

  /** @throws TidemarkError `unavailable` when nothing can be written into the folder */
  constructor(folder: string) {
    this.#runs = new RunStore(folder);
  }

  /** @throws TidemarkError `unavailable`, for instance when the disk is full */
  add(row: string): void {
    this.#sorter!.add(row);
    this.size += 1;
    for (const run of this.#sorter!.takeRuns()) this.#runs.add(run);
  }

  /** All rows, ascending. No rows can be added after this call. */
  *sorted(): Generator<string> {
    for (const run of this.#sorter?.end() ?? []) this.#runs.add(run);
    this.#sorter = undefined;
    yield* this.#runs.merged();
  }

  close(): void {
    this.#runs.close();
  }
}
