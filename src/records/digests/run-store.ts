import { ScratchDatabase } from '../../lib/sqlite/scratch-database.ts';
import type { SortedRun } from './row-sorter.ts';

/** Bytes that are read at a time from each run; more if a row is longer. */
const PAGE_BYTES = 16_000;
// An SQLite page that has room for one page of rows.
const SCHEMA = 'PRAGMA page_size = 16384; CREATE TABLE pages (number INTEGER PRIMARY KEY, rows BLOB)';
/** Bytes in memory: the rows of a small artifact never reach the disk. */
const CACHE = 2 * 1024 * 1024;
const LINE_END = 10;

/** The pages of one run, by their numbers. */
interface PageRange {
  readonly first: number;
  readonly end: number;
}

/**
 * Stores sorted runs of rows on disk, and merges them. It stores rows in pages: SQLite would take far longer to store,
 * sort and read a million single rows. Merging takes some 40 kB of memory for each run.
 */
export class RunStore {
  readonly #pages: ScratchDatabase;
  readonly #insert;
  readonly #select;
  readonly #runs: PageRange[] = [];

  /** @throws TidemarkError `unavailable` when the folder cannot be written */
  constructor(folder: string) {
    this.#pages = new ScratchDatabase({ folder, schema: SCHEMA, cacheBytes: CACHE });
    this.#insert = this.#pages.prepare('INSERT INTO pages VALUES (?, ?)');
    this.#select = this.#pages.prepare('SELECT CAST(rows AS TEXT) FROM pages WHERE number = ?');
  }

  /** @throws TidemarkError `unavailable`, such as when the disk is full */
  add(run: SortedRun): void {
    const first = this.#runs.at(-1)?.end ?? 0;
    let end = first;
    for (let at = 0; at < run.length; end++) {
      const next = pageEnd(run, at);
      // Without the last line end.
      this.#insert.run(end, run.subarray(at, next - 1));
      at = next;
    }
    this.#runs.push({ first, end });
  }

  /**
   * Yields the rows of all runs, ascending.
   * @throws TidemarkError `unavailable`
   */
  *merged(): Generator<string> {
    // In descending order of their next rows: the last reader has the least row.
    const readers: RunReader[] = [];
    for (const run of this.#runs) place(new RunReader(run, (page) => this.#read(page)), readers);
    for (let reader = readers.pop(); reader !== undefined; reader = readers.pop()) {
      const other = readers.at(-1)?.row;
      // Rows that were added in order follow one another in the same run.
      do {
        yield reader.row!;
        reader.advance();
      } while (reader.row !== undefined && (other === undefined || reader.row < other));
      place(reader, readers);
    }
  }

  close(): void {
    this.#pages.close();
  }

  #read(page: number): readonly string[] {
    const [rows] = this.#select.get(page)! as unknown as [string];
    return rows.split('\n');
  }
}

/** Inserts a reader by its next row, with binary search. Does nothing with a reader at its end. */
function place(reader: RunReader, readers: RunReader[]): void {
  const { row } = reader;
  if (row === undefined) return;
  let low = 0;
  let high = readers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (readers[middle]!.row! > row) low = middle + 1;
    else high = middle;
  }
  readers.splice(low, 0, reader);
}

/** Reads a run row by row. */
class RunReader {
  /** The next row; undefined after the last one. */
  row: string | undefined;
  readonly #read: (page: number) => readonly string[];
  readonly #end: number;
  #page: number;
  #rows: readonly string[] = [];
  #next = 0;

  constructor({ first, end }: PageRange, read: (page: number) => readonly string[]) {
    this.#read = read;
    this.#page = first;
    this.#end = end;
    this.advance();
  }

  advance(): void {
    if (this.#next === this.#rows.length && this.#page < this.#end) {
      this.#rows = this.#read(this.#page);
      this.#page += 1;
      this.#next = 0;
    }
    this.row = this.#rows[this.#next];
    this.#next += 1;
  }
}

/** The end of the page that begins at this row. A page ends after a row. */
function pageEnd(run: SortedRun, begin: number): number {
  if (run.length - begin <= PAGE_BYTES) return run.length;
  const last = run.lastIndexOf(LINE_END, begin + PAGE_BYTES - 1);
  return (last < begin ? run.indexOf(LINE_END, begin) : last) + 1;
}
