import { readFileSync } from 'node:fs';

/** Other systems do not say when they dropped events. */
const QUEUE = '/proc/sys/fs/inotify/max_queued_events';

/**
 * Notices when the kernel may have dropped events because its queue was full: `fs.watch` does not report that. All
 * events of a full queue come in one turn of the event loop.
 */
export class EventBursts {
  readonly #onFull: () => void;
  readonly #most: number;
  #count = 0;

  constructor(onFull: () => void) {
    this.#onFull = onFull;
    // Events of folders that are watched no more take room in the queue, and are not handed over.
    this.#most = queueLength() / 2;
  }

  event(): void {
    if (this.#count === 0) setImmediate(() => this.#end());
    this.#count += 1;
  }

  #end(): void {
    const isFull = this.#count >= this.#most;
    this.#count = 0;
    if (isFull) this.#onFull();
  }
}

function queueLength(): number {
  try {
    return Number(readFileSync(QUEUE, 'utf8'));
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
