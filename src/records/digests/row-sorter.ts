/** Sorted rows: ASCII texts, each followed by a line end. It has a buffer of its own. */
export type SortedRun = Uint8Array<ArrayBuffer>;

/** Bytes of rows that are sorted at a time, in memory. */
const RUN_BYTES = 1024 * 1024;
const LINE_END = 10;

/**
 * Sorts rows into runs, each as large as the memory for it. Rows are kept as bytes, which the garbage collector does
 * not move.
 */
export class RowSorter {
  #bytes = Buffer.allocUnsafeSlow(RUN_BYTES);
  /** The position of each row. */
  #starts: number[] = [];
  #end = 0;
  #runs: SortedRun[] = [];

  /** @param row ASCII without a line end */
  add(row: string): void {
    if (this.#end + row.length >= this.#bytes.length) this.#sort();
    if (row.length >= this.#bytes.length) this.#bytes = Buffer.allocUnsafeSlow(row.length + 1);
    this.#starts.push(this.#end);
    this.#end += this.#bytes.write(row, this.#end, 'latin1');
    this.#bytes[this.#end] = LINE_END;
    this.#end += 1;
  }

  /** Returns the completed runs, each only once. */
  takeRuns(): readonly SortedRun[] {
    const runs = this.#runs;
    this.#runs = [];
    return runs;
  }

  /** Returns the remaining runs, after all rows were added. */
  end(): readonly SortedRun[] {
    this.#sort();
    return this.takeRuns();
  }

  #sort(): void {
    if (this.#end === 0) return;
    const ends = [...this.#starts.slice(1), this.#end];
    // V8 compares flat strings without calling its runtime; substrings of a larger string would need that.
    const rows = this.#starts.map((start, row) => this.#bytes.toString('latin1', start, ends[row]));
    const run = Buffer.allocUnsafeSlow(this.#end);
    let at = 0;
    for (const row of rows.sort()) at += run.write(row, at, 'latin1');
    this.#runs.push(run);
    this.#starts = [];
    this.#end = 0;
  }
}
