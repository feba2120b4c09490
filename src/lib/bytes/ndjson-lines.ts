import { isUtf8 } from 'node:buffer';

/** Most bytes of one line, by default. */
export const MAX_LINE_BYTES = 1_048_576;

/** A line that is not blank, with its number, counted from 1: its text, or the problem with it. */
export type NdjsonLine =
  | { readonly number: number; readonly text: string; readonly problem?: undefined }
  | { readonly number: number; readonly problem: 'line-too-long' | 'not-utf-8' };

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = '\ufeff';
const BLANK = /^[ \t\r]*$/;

/**
 * Splits bytes into lines as they arrive. No byte is copied more than twice, wherever chunks split a line. Nothing of a
 * line that is too long is kept: memory stays below one line and one chunk.
 */
export class NdjsonLines {
  #number = 0;
  #rest: Buffer[] = [];
  #restBytes = 0;
  readonly #mostBytes: number;

  /** @param mostBytes the most bytes of one line */
  constructor(mostBytes = MAX_LINE_BYTES) {
    this.#mostBytes = mostBytes;
  }

  /** Returns the lines that end in these bytes. */
  push(chunk: Buffer): readonly NdjsonLine[] {
    const lines: NdjsonLine[] = [];
    const first = chunk.indexOf(NEWLINE);
    if (first < 0) {
      this.#keep(chunk);
      return lines;
    }
    const last = chunk.lastIndexOf(NEWLINE);
    this.#keep(chunk.subarray(0, first));
    this.#finish(lines);
    if (last > first) this.#split(chunk.subarray(first + 1, last), lines);
    this.#keep(chunk.subarray(last + 1));
    return lines;
  }

  /** Returns the last line, if no newline ended it. */
  end(): readonly NdjsonLine[] {
    const lines: NdjsonLine[] = [];
    if (this.#restBytes > 0) this.#finish(lines);
    return lines;
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#restBytes += bytes.length;
    if (this.#restBytes > this.#mostBytes) this.#rest = [];
    else this.#rest.push(bytes);
  }

  #finish(lines: NdjsonLine[]): void {
    if (this.#restBytes > this.#mostBytes) lines.push({ number: ++this.#number, problem: 'line-too-long' });
    else this.#split(this.#rest.length === 1 ? this.#rest[0]! : Buffer.concat(this.#rest), lines);
    this.#rest = [];
    this.#restBytes = 0;
  }

  /** Splits complete lines; the last one has no newline. */
  #split(bytes: Buffer, lines: NdjsonLine[]): void {
    if (!isUtf8(bytes)) {
      this.#splitBroken(bytes, lines);
      return;
    }
    // Decoding many lines at once is several times faster than one by one.
    const text = bytes.toString('utf8');
    for (let start = 0, end = 0; end >= 0; start = end + 1) {
      end = text.indexOf('\n', start);
      this.#add(text.slice(start, end < 0 ? undefined : end), lines);
    }
  }

  #splitBroken(bytes: Buffer, lines: NdjsonLine[]): void {
    for (let start = 0, end = 0; end >= 0; start = end + 1) {
      end = bytes.indexOf(NEWLINE, start);
      const line = bytes.subarray(start, end < 0 ? undefined : end);
      if (isUtf8(line)) this.#add(line.toString('utf8'), lines);
      else lines.push({ number: ++this.#number, problem: 'not-utf-8' });
    }
  }

  #add(raw: string, lines: NdjsonLine[]): void {
    const number = ++this.#number;
    const text = number === 1 && raw.startsWith(BYTE_ORDER_MARK) ? raw.slice(1) : raw;
    if (BLANK.test(text)) return;
    const tooLong = text.length * 3 > this.#mostBytes && Buffer.byteLength(text) > this.#mostBytes;
    lines.push(tooLong ? { number, problem: 'line-too-long' } : { number, text });
  }
}
