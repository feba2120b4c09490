import type { ReadFile } from '../arrivals/upload-state.ts';

/** Counts the records and deletions of an upload that a later one with the same id replaces, by their files. */
export class ReplacedRecords {
  /** For each file, the number of records and deletions up to its end. */
  readonly #ends: readonly number[];
  readonly #inFiles: number[];
  #total = 0;

  /** @param files number of records and deletions of each, in their order. The last files may be missing */
  constructor(files: readonly number[]) {
    let end = 0;
    this.#ends = files.map((entries) => {
      end += entries;
      return end;
    });
    this.#inFiles = files.map(() => 0);
  }

  /** @param at number of records and deletions of the upload before the one that is replaced */
  add(at: number): void {
    this.#total += 1;
    const file = this.#fileOf(at);
    if (file < this.#inFiles.length) this.#inFiles[file]! += 1;
  }

  get counts(): ReplacedCounts {
    return { total: this.#total, inFiles: this.#inFiles };
  }

  /** The first file that ends behind it. */
  #fileOf(at: number): number {
    let low = 0;
    let high = this.#ends.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#ends[middle]! <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

export interface ReplacedCounts {
  readonly total: number;
  readonly inFiles: readonly number[];
}

/** Number of records and deletions of each file, as `ReplacedRecords` needs them. */
export function entriesOfFiles(files: readonly Pick<ReadFile, 'records' | 'deletions'>[]): readonly number[] {
  return files.map(({ records, deletions }) => records + deletions);
}
