import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';
import { errorCode } from '../../lib/system-error.ts';

const STANDARD_ERROR = 2;
/** Characters that are gathered, and milliseconds after which they are written anyway. */
const GATHERED = { characters: 8_192, milliseconds: 500 };
/** Most characters that wait for a slow reader. */
const MOST_WAITING = 4_000_000;
/** Milliseconds between two attempts to write into a full pipe, and the number of attempts for one line. */
const PIPE = { againMs: 10, attempts: 20 };

/**
 * Writes each line of a log to standard error at once. A log that cannot be written, as on a full disk, must not end
 * the process: its lines are lost, and the next one that can be written comes after a line with their number. (The
 * outputs of pino throw, or try again for ever.)
 */
export class LogOutput implements DestinationStream {
  readonly #fd: number;
  readonly #lost = new LostLines();

  constructor(fd = STANDARD_ERROR) {
    this.#fd = fd;
  }

  write(line: string): void {
    try {
      // Without a reader, only the first line waits for one.
      writeWhole(this.#fd, this.#lost.notice() + line, this.#lost.count === 0 ? PIPE.attempts : 1);
      this.#lost.forgetNoticed();
    } catch (error) {
      this.#lost.add(1, error as Error);
    }
  }
}

/**
 * The same, but gathers lines, since a system call for each would take longer than many a request does, and never waits
 * for the reader of a pipe.
 */
export class GatheringLogOutput implements DestinationStream {
  readonly #fd: number;
  readonly #lost = new LostLines();
  readonly #timer = setInterval(() => this.#flush(), GATHERED.milliseconds).unref();
  readonly #onExit = () => this.close();
  #waiting = '';
  #lines = 0;
  #isWriting = false;

  constructor(fd = STANDARD_ERROR) {
    this.#fd = fd;
    process.once('exit', this.#onExit);
  }

  write(line: string): void {
    if (this.#waiting.length > MOST_WAITING) {
      this.#lost.add(1, new Error('they are read too slowly'));
      return;
    }
    this.#waiting += line;
    this.#lines += 1;
    if (this.#waiting.length >= GATHERED.characters) this.#flush();
  }

  /** Writes what waits. Nothing is to be logged after that. */
  close(): void {
    clearInterval(this.#timer);
    process.off('exit', this.#onExit);
    try {
      writeWhole(this.#fd, this.#lost.notice() + this.#waiting, PIPE.attempts);
    } catch {
      // The process ends: it cannot report what is lost.
    }
    this.#waiting = '';
  }

  #flush(): void {
    if (this.#isWriting || this.#waiting === '') return;
    const bytes = Buffer.from(this.#lost.notice() + this.#waiting);
    const lines = this.#lines;
    this.#waiting = '';
    this.#lines = 0;
    this.#isWriting = true;
    this.#writeRest(bytes, (error) => {
      this.#isWriting = false;
      if (error === null) this.#lost.forgetNoticed();
      else this.#lost.add(lines, error);
    });
  }

  #writeRest(bytes: Uint8Array, done: (error: Error | null) => void): void {
    write(this.#fd, bytes, (error, written) => {
      if (errorCode(error) === 'EAGAIN') setTimeout(() => this.#writeRest(bytes, done), PIPE.againMs).unref();
      else if (error !== null || written === bytes.length) done(error);
      else this.#writeRest(bytes.subarray(written), done);
    });
  }
}

/** @throws the error of the system, when a part of the text or all of it was not written */
function writeWhole(fd: number, text: string, attempts: number): void {
  let rest: Uint8Array = Buffer.from(text);
  for (let attempt = 1; rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      if (errorCode(error) !== 'EAGAIN' || attempt === attempts) throw error;
      attempt += 1;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PIPE.againMs);
    }
  }
}

/** Counts lines that could not be written. */
class LostLines {
  count = 0;
  #noticed = 0;
  #problem = '';

  add(lines: number, { message }: Error): void {
    this.count += lines;
    this.#problem = message;
  }

  /** A line about the lost lines; empty when there are none. */
  notice(): string {
    this.#noticed = this.count;
    if (this.count === 0) return '';
    const lines = this.count === 1 ? '1 line' : `${this.count} lines`;
    const msg = `${lines} of this log could not be written: ${this.#problem}`;
    // It begins on a line of its own, also when a part of a line was written before.
    return `\n${JSON.stringify({ level: 'warn', time: new Date().toISOString(), msg })}\n`;
  }

  /** Call this when the notice was written. */
  forgetNoticed(): void {
    this.count -= this.#noticed;
  }
}
