import { LONGEST_ROW, type Run, RunWriter } from './run-writer.ts';
import { ROWS_AT_ONCE, sortRows } from './sort-bytes.ts';

/** Bytes that are sorted at once, in memory. */
const RUN_LENGTH = 4 * 1024 * 1024;
const LINE_END = 10;

/**
 * Sorts rows into runs: as many as fit into some memory, one after the other. They are kept as bytes, since the garbage collector would move a million
 * strings several times.
 */
export class RowSorter {
  readonly #writer: RunWriter;
  readonly #bytes: Buffer;
  /** Where each row begins, and where the last one ends. */
  readonly #starts = new Uint32Array(ROWS_AT_ONCE + 1);
  readonly #runs: Run[] = [];
  #rows = 0;
  #end = 0;

  constructor(descriptor: number, runLength = RUN_LENGTH) {
    this.#writer = new RunWriter(descriptor);
    this.#bytes = Buffer.allocUnsafeSlow(runLength + LONGEST_ROW);
  }

  /** @param row ASCII without a line end, less than LONGEST_ROW characters, and not the beginning of another row */
  add(row: string): void {
    this.#end += this.#bytes.write(row, this.#end, 'latin1');
    this.#bytes[this.#end] = LINE_END;
    this.#end += 1;
    this.#rows += 1;
    this.#starts[this.#rows] = this.#end;
    if (this.#rows === ROWS_AT_ONCE || this.#end > this.#bytes.length - LONGEST_ROW) this.#write();
  }

  /** Writes what is in memory, and returns all runs. */
  end(): readonly Run[] {
    if (this.#rows > 0) this.#write();
    return this.#runs;
  }

  #write(): void {
    const starts = this.#starts;
    for (const row of sortRows(this.#bytes, starts.subarray(0, this.#rows))) {
      this.#writer.addBytes(this.#bytes, starts[row]!, starts[row + 1]!);
    }
    this.#runs.push(this.#writer.end());
    this.#rows = 0;
    this.#end = 0;
  }
}
