import type { PostableEvent } from '../core/change.ts';
import type { ChangeLog } from '../stores/change-log.ts';
import type { CommitResult } from '../stores/commit-result.ts';
import type { EventPoster } from '../stores/event-poster.ts';

// The fastest batch size measured for SQLite with keys in random order; see docs/performance.md.
const MOST_EVENTS_PER_COMMIT = 10_000;
/** The most weight of their entries: Elasticsearch accepts 100 MB in one request, and memory must be bounded. */
const MOST_WEIGHT_PER_COMMIT = 32 * 1024 * 1024;

interface Posting {
  readonly events: readonly PostableEvent[];
  /** Of all its events. */
  readonly weight: number;
  readonly resolve: (results: readonly CommitResult[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Gathers the events of all callers into commits: one commit is under way at a time, and events that arrive meanwhile
 * make the next. So no caller waits when it is idle, and a busy store gets large batches.
 */
export class Updater implements EventPoster {
  readonly #index: ChangeLog;
  #waiting: Posting[] = [];
  #running: Promise<void> | undefined;

  constructor(index: ChangeLog) {
    this.#index = index;
  }

  /**
   * Resolves when the events are committed, with a result for each, in order. Events of one call stay in one commit, so
   * a caller with a long stream calls with a few thousand at a time.
   */
  post(events: readonly PostableEvent[]): Promise<readonly CommitResult[]> {
    if (events.length === 0) return Promise.resolve([]);
    const weight = events.reduce((sum, event) => sum + event.weight, 0);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ events, weight, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when everything that was posted is committed. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    // Events posted in the same tick of the event loop share a commit.
    await Promise.resolve();
    while (this.#waiting.length > 0) await this.#commit(this.#takeBatch());
    this.#running = undefined;
  }

  #takeBatch(): readonly Posting[] {
    let taken = 0;
    let events = 0;
    let weight = 0;
    for (const posting of this.#waiting) {
      events += posting.events.length;
      weight += posting.weight;
      if (taken > 0 && (events > MOST_EVENTS_PER_COMMIT || weight > MOST_WEIGHT_PER_COMMIT)) break;
      taken += 1;
    }
    return this.#waiting.splice(0, taken);
  }

  async #commit(batch: readonly Posting[]): Promise<void> {
    try {
      const results = await this.#index.commit(
        batch.length === 1 ? batch[0]!.events : batch.flatMap(({ events }) => events),
      );
      let done = 0;
      for (const { events, resolve } of batch) {
        resolve(results.slice(done, done + events.length));
        done += events.length;
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
