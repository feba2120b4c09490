import { isTidemarkError, TidemarkError } from '../core/errors.ts';
import type { Archived } from './archive-log.ts';

/** What to tell of an archive that is kept. */
export interface ArchiveEvents {
  onArchived(archived: Archived): void;
  /** It is tried again the next time. */
  onTrouble(error: TidemarkError): void;
}

export interface KeeperOptions {
  /** Milliseconds. */
  readonly interval: number;
  /** @param minAge does nothing when somebody has archived within so many milliseconds */
  archive(minAge: number, signal: AbortSignal): Promise<Archived>;
  readonly events: ArchiveEvents;
}

/** Archives again and again. Several servers of one store share the work: whoever comes first does it. */
export class ArchiveKeeper {
  readonly #options: KeeperOptions;
  readonly #stopped = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #underWay: Promise<void> = Promise.resolve();

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** The first time is now: what a server that was stopped left behind need not wait. */
  start(): void {
    this.#underWay = this.#archive();
  }

  /** Resolves when nothing is under way any more; what was being written is given up. */
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
