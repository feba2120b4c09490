import { readFileSync } from 'node:fs';

/** Length of the event queue on Linux. Other systems do not report that they dropped events. */
const QUEUE = '/proc/sys/fs/inotify/max_queued_events';

/**
 * Detects that the kernel may have dropped events because its queue was full: `fs.watch` does not report that. All
 * watches of a thread share one queue, and all events of a full queue arrive in one iteration of the event loop.
 */
export class EventBursts {
  readonly #onFull: () => void;
  readonly #most: number;
  #count = 0;

  constructor(onFull: () => void) {
    this.#onFull = onFull;
    // Half of the queue: events of folders that are no longer watched use up room in it, but are not delivered.
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
