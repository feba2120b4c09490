import { writeAt } from './scratch-file.ts';

/** Where sorted rows lie in a file: texts of ASCII, each with a line end after it. */
export interface Run {
  /** The number of the open file. */
  readonly descriptor: number;
  /** Bytes before it, and of it. */
  readonly offset: number;
  readonly length: number;
}

/** Bytes of a row with its line end, at most: a key has some 2,000, and three hashes 200. */
export const LONGEST_ROW = 16 * 1024;
/** Bytes that are written at once. */
const WRITE_LENGTH = 128 * 1024;
const LINE_END = 10;

/** Writes runs into a file, one after the other. */
export class RunWriter {
  readonly #descriptor: number;
  readonly #buffer = Buffer.allocUnsafeSlow(WRITE_LENGTH);
  #waiting = 0;
  #begin = 0;
  /** Bytes of the file that are written. */
  #end = 0;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  /** Adds a row to the run, after those that were added before. */
  add(row: string): void {
    this.#waiting += this.#buffer.write(row, this.#waiting, 'latin1');
    this.#buffer[this.#waiting] = LINE_END;
    this.#added(1);
  }

  /** Adds a row that lies, with its line end, among other bytes. */
  addBytes(bytes: Buffer, start: number, end: number): void {
    this.#added(bytes.copy(this.#buffer, this.#waiting, start, end));
  }

  /** Ends the run; the next row begins another. */
  end(): Run {
    this.#write();
    const run = { descriptor: this.#descriptor, offset: this.#begin, length: this.#end - this.#begin };
    this.#begin = this.#end;
    return run;
  }

  #added(bytes: number): void {
    this.#waiting += bytes;
    if (this.#waiting > WRITE_LENGTH - LONGEST_ROW) this.#write();
  }

  #write(): void {
    writeAt(this.#descriptor, this.#buffer.subarray(0, this.#waiting), this.#end);
    this.#end += this.#waiting;
    this.#waiting = 0;
  }
}
