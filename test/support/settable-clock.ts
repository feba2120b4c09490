import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SHIFTED_CLOCK = new URL('./shifted-clock.ts', import.meta.url).href;

/** The clock of a process, which a test sets while the process runs. */
export class SettableClock {
  readonly #file: string;

  /** @param folder where it keeps a file */
  constructor(folder: string, secondsAhead = 0) {
    this.#file = join(folder, 'clock-offset');
    this.set(secondsAhead);
  }

  /** @param secondsAhead of the true time; negative for one that is behind */
  set(secondsAhead: number): void {
    // A reader sees the old time or the new one.
    writeFileSync(`${this.#file}.new`, String(secondsAhead * 1000));
    renameSync(`${this.#file}.new`, this.#file);
  }

  /** What gives it to a process that is started. */
  get environment(): Readonly<Record<string, string>> {
    return { NODE_OPTIONS: `--import=${SHIFTED_CLOCK}`, CLOCK_OFFSET_FILE: this.#file };
  }
}
