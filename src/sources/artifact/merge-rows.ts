import { LONGEST_ROW, type Run, RunWriter } from './run-writer.ts';
import { readAt, type ScratchFile } from './scratch-file.ts';

/** Runs that are read at a time: each takes a buffer. More are merged into fewer first. */
const MOST_RUNS = 64;
/** Bytes of a buffer. */
const READ_LENGTH = 2 * LONGEST_ROW;
const LINE_END = 10;

/**
 * The rows of all runs, ascending by their bytes.
 * @param scratch makes a file for runs that are made of others; whoever gives it closes it
 */
export function mergeRows(runs: readonly Run[], scratch: () => ScratchFile, most = MOST_RUNS): Iterable<string> {
  let few = runs;
  while (few.length > most) few = mergedInto(scratch(), few, most);
  return merge(few);
}

function mergedInto({ descriptor }: ScratchFile, runs: readonly Run[], most: number): readonly Run[] {
  const writer = new RunWriter(descriptor);
  const merged: Run[] = [];
  for (let at = 0; at < runs.length; at += most) {
    for (const row of merge(runs.slice(at, at + most))) writer.add(row);
    merged.push(writer.end());
  }
  return merged;
}

function* merge(runs: readonly Run[]): Generator<string> {
  // The one with the least row is the last.
  const readers: RunReader[] = [];
  for (const run of runs) place(new RunReader(run), readers);
  for (let reader = readers.pop(); reader !== undefined; reader = readers.pop()) {
    const other = readers.at(-1)?.row;
    // Rows that came in order follow each other in one run.
    do {
      yield reader.row!;
      reader.advance();
    } while (reader.row !== undefined && (other === undefined || reader.row < other));
    place(reader, readers);
  }
}

/** Puts a reader among others, which are descending by their rows; no two rows are the same. One that is at its end is left out. */
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

class RunReader {
  /** The next row; undefined after the last one. */
  row: string | undefined;
  readonly #run: Run;
  #read = 0;
  #rows: readonly string[] = [];
  #next = 0;

  constructor(run: Run) {
    this.#run = run;
    this.advance();
  }

  advance(): void {
    if (this.#next === this.#rows.length) this.#fill();
    this.row = this.#rows[this.#next];
    this.#next += 1;
  }

  #fill(): void {
    const { descriptor, offset, length } = this.#run;
    this.#next = 0;
    this.#rows = [];
    if (this.#read === length) return;
    const bytes = Buffer.allocUnsafe(Math.min(READ_LENGTH, length - this.#read));
    const end = bytes.lastIndexOf(LINE_END, readAt(descriptor, bytes, offset + this.#read) - 1);
    if (end < 0) throw new Error('a temporary file was cut off');
    this.#read += end + 1;
    this.#rows = bytes.toString('latin1', 0, end).split('\n');
  }
}
