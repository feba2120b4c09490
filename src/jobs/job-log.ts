const MOST_LINES = 1_000;
/** Characters of a line: the log of a job is stored as one document. */
const LONGEST_LINE = 1_000;

/** The last lines that a job has logged, each with its time. */
export class JobLog {
  #lines: string[] = [];
  /** Whether all lines are stored. */
  isStored = true;
  /** Whether the lines of earlier attempts are included. */
  hasBegun = false;

  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Inserts the lines of earlier attempts before those of this one. */
  begin(lines: readonly string[]): void {
    this.hasBegun = true;
    this.#lines = [...lines, ...this.#lines].slice(-MOST_LINES);
  }

  add(text: string): void {
    this.#lines.push(`${new Date().toISOString()} ${text}`.slice(0, LONGEST_LINE));
    if (this.#lines.length > MOST_LINES) this.#lines.shift();
    this.isStored = false;
  }
}
