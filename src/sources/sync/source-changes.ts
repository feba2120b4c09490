/**
 * Most changed paths that are scanned one by one. If there are more, their folders are scanned; if there are too many
 * folders, the whole root.
 */
const MOST_PATHS = 2_000;

/**
 * Milliseconds without a change after which files count as written, and the longest time that a change waits when there
 * is not such a pause.
 */
const SETTLED = 200;
const LONGEST_WAIT = 1_000;

/** Gathers the changed paths until no more change, or another event ends the wait. */
export class SourceChanges {
  readonly #signal: AbortSignal;
  readonly #wake = () => this.#woken.resolve();
  #paths = new Set<string>();
  #first = 0;
  #timer: NodeJS.Timeout | undefined;
  #failure: Error | undefined;
  #woken = Promise.withResolvers<void>();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', this.#wake);
  }

  add(path: string): void {
    const now = Date.now();
    if (this.#paths.size === 0) this.#first = now;
    this.#paths.add(path);
    if (this.#paths.size > MOST_PATHS) this.#paths = coarser(this.#paths);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#wake, Math.max(0, Math.min(SETTLED, this.#first + LONGEST_WAIT - now)));
  }

  /** Ends the wait with an error. */
  fail(error: Error): void {
    this.#failure ??= error;
    this.#wake();
  }

  /** Resolves with the settled paths; with undefined when the signal is aborted. Throws the error passed to `fail`. */
  async settled(): Promise<readonly string[] | undefined> {
    if (!this.#signal.aborted) await this.#woken.promise;
    this.#woken = Promise.withResolvers();
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#signal.aborted) return undefined;
    const paths = [...this.#paths];
    this.#paths = new Set();
    return paths;
  }

  /** Resolves when paths have settled, or after a number of milliseconds. */
  async settledWithin(milliseconds: number): Promise<void> {
    if (milliseconds <= 0) return;
    const timer = setTimeout(this.#wake, milliseconds);
    try {
      await this.settled();
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener('abort', this.#wake);
  }
}

/** The folders of the paths; the root when there are too many folders as well. */
function coarser(paths: ReadonlySet<string>): Set<string> {
  const folders = new Set([...paths].map((path) => path.slice(0, Math.max(0, path.lastIndexOf('/')))));
  return folders.has('') || folders.size > MOST_PATHS / 2 ? new Set(['']) : folders;
}
