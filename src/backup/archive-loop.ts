import { isTidemarkError, TidemarkError } from '../core/errors.ts';
import type { Archived } from './archive-log.ts';

/** Receives the results of archiving. */
export interface ArchiveEvents {
  onArchived(archived: Archived): void;
  /** Archiving is tried again at the next interval. */
  onTrouble(error: TidemarkError): void;
}

export interface ArchiveLoopOptions {
  /** Milliseconds. */
  readonly interval: number;
  /** @param minAge does nothing when any process has archived within so many milliseconds */
  archive(minAge: number, signal: AbortSignal): Promise<Archived>;
  readonly events: ArchiveEvents;
}

/** Archives at intervals. Several servers of one store share the work: the first one does it. */
export class ArchiveLoop {
  readonly #options: ArchiveLoopOptions;
  readonly #stopped = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #underWay: Promise<void> = Promise.resolve();

  constructor(options: ArchiveLoopOptions) {
    this.#options = options;
  }

  /** Archives at once, for changes that a stopped server left, then at each interval. */
  start(): void {
    this.#underWay = this.#archive();
  }

  /** Resolves when no archiving is under way; aborts a running one. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    clearTimeout(this.#timer);
    await this.#underWay;
  }

  async #archive(): Promise<void> {
    const { interval, archive, events } = this.#options;
    const { signal } = this.#stopped;
    try {
      events.onArchived(await archive(interval / 2, signal));
    } catch (error) {
      if (!signal.aborted) events.onTrouble(asTrouble(error));
    }
    if (signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#underWay = this.#archive();
    }, interval);
    this.#timer.unref();
  }
}

function asTrouble(error: unknown): TidemarkError {
  if (isTidemarkError(error)) return error;
  return new TidemarkError(
    'unavailable',
    `archiving failed: ${error instanceof Error ? error.stack : error}`,
    {},
    error,
  );
}
