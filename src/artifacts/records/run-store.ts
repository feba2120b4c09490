import { ScratchDatabase } from '../../lib/sqlite/scratch-database.ts';
import type { SortedRun } from './row-sorter.ts';

/** Bytes of rows that are read at a time of each run, but for a longer row. */
const PAGE_BYTES = 16_000;
// A page of SQLite has room for one of ours.
const SCHEMA = 'PRAGMA page_size = 16384; CREATE TABLE pages (number INTEGER PRIMARY KEY, rows BLOB)';
/** Bytes in memory; those of a small artifact never reach the disk. */
const CACHE = 2 * 1024 * 1024;
const LINE_END = 10;

/** Pages of one run, by their numbers. */
interface PageRange {
  readonly first: number;
  readonly end: number;
}

/**
 * Keeps sorted runs of rows on disk, and merges them. Rows in pages: SQLite takes far longer to store, sort and read a
 * million rows of its own. To merge them takes some 40 kB of memory for each run.
 */
export class RunStore {
  readonly #pages: ScratchDatabase;
  readonly #insert;
  readonly #select;
  readonly #runs: PageRange[] = [];

  /** @throws TidemarkError `unavailable` when nothing can be written into the folder */
  constructor(folder: string) {
    this.#pages = new ScratchDatabase({ folder, schema: SCHEMA, cacheBytes: CACHE });
    this.#insert = this.#pages.prepare('INSERT INTO pages VALUES (?, ?)');
    this.#select = this.#pages.prepare('SELECT CAST(rows AS TEXT) FROM pages WHERE number = ?');
  }

  /** @throws TidemarkError `unavailable`, for one when the disk is full */
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

  /** The rows of all runs, ascending. @throws TidemarkError `unavailable` */
  *merged(): Generator<string> {
    // Descending by their next rows, so that the least is the last.
    const readers: RunReader[] = [];
    for (const run of this.#runs) place(new RunReader(run, (page) => this.#read(page)), readers);
    for (let reader = readers.pop(); reader !== undefined; reader = readers.pop()) {
      const other = readers.at(-1)?.row;
      // Rows that came in order follow one another in one run.
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

/** Puts a reader among others by its next row, with as few comparisons as possible; not one that is at its end. */
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

/** Where a page ends that begins at a row: after a row. */
function pageEnd(run: SortedRun, begin: number): number {
  if (run.length - begin <= PAGE_BYTES) return run.length;
  const last = run.lastIndexOf(LINE_END, begin + PAGE_BYTES - 1);
  return (last < begin ? run.indexOf(LINE_END, begin) : last) + 1;
}
