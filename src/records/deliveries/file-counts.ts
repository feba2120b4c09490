import { MOST_FILES_SHOWN, type ReadFile, type ReadTotals } from '../arrivals/upload-state.ts';

type Writable<Fields> = { -readonly [Name in keyof Fields]: Fields[Name] };
/** A file that is being read, and what was read of it. */
export type CountedFile = Writable<ReadFile>;

export const NO_ENTRIES = { records: 0, deletions: 0, errors: 0 };

/** What was read of each file, and of all of them. */
export class FileCounts {
  readonly files: CountedFile[] = [];
  readonly totals: Writable<ReadTotals> = { files: 0, ...NO_ENTRIES };
  unknownFiles = 0;
  #last: CountedFile | undefined;

  /** Counts the file that is being read, once. */
  begin(file: CountedFile): void {
    if (this.#last === file) return;
    this.#last = file;
    this.totals.files += 1;
    if (file.kind === 'unknown') this.unknownFiles += 1;
    if (this.files.length < MOST_FILES_SHOWN) this.files.push(file);
  }

  addEntry(file: CountedFile, what: 'records' | 'deletions'): void {
    this.begin(file);
    file[what] += 1;
    this.totals[what] += 1;
  }

  addErratum(file: CountedFile, isWarning: boolean): void {
    this.begin(file);
    for (const counts of [file, this.totals]) {
      if (isWarning) counts.warnings = (counts.warnings ?? 0) + 1;
      else counts.errors += 1;
    }
  }
}
