import type { PostableEvent } from '../core/change.ts';
import type { ChangeLog } from '../stores/change-log.ts';
import type { CommitResult } from '../stores/commit-result.ts';
import type { EventPoster } from '../stores/event-poster.ts';

// The fastest batch size measured for SQLite with keys in random order; see docs/performance.md.
const MOST_EVENTS_PER_COMMIT = 10_000;
/** Most weight of their entries: Elasticsearch accepts 100 MB in one request, and memory must be bounded. */
const MOST_WEIGHT_PER_COMMIT = 32 * 1024 * 1024;

/**
 * Milliseconds after which events posted `later` get a commit though others wait: a fifth of the commits of a busy
 * store.
 */
const LATER_MS = 250;

interface Posting {
  readonly events: readonly PostableEvent[];
  /** Weight of all its events. */
  readonly weight: number;
  readonly resolve: (results: readonly CommitResult[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Combines the events of all callers into commits: one commit is in progress at a time, and events that arrive
 * meanwhile make the next one. So no caller waits while the updater is idle, and a busy store gets large batches.
 */
export class Updater implements EventPoster {
  /**
   * For posters that follow other sets of the store. The events of those sets come first: so an upload is applied in
   * half the time, and the following set is complete as early as if both alternated. It still gets a commit four times
   * a second, so that it progresses while others post continuously.
   */
  readonly later: EventPoster = { post: (events) => this.#post(events, this.#later) };
  readonly #index: ChangeLog;
  readonly #now: () => number;
  readonly #waiting: Posting[] = [];
  readonly #later: Posting[] = [];
  /** Time of the last commit of `later` events. */
  #laterAt = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | undefined;

  /** @param now milliseconds on the clock of the process */
  constructor(index: ChangeLog, now: () => number = () => performance.now()) {
    this.#index = index;
    this.#now = now;
  }

  /**
   * Resolves when the events are committed, with a result for each, in order. Events of one call stay in one commit, so
   * a caller with a long stream should pass a few thousand at a time.
   */
  post(events: readonly PostableEvent[]): Promise<readonly CommitResult[]> {
    return this.#post(events, this.#waiting);
  }

  /** Resolves when everything that was posted is committed. */
  async idle(): Promise<void> {
    await this.#running;
  }

  #post(events: readonly PostableEvent[], waiting: Posting[]): Promise<readonly CommitResult[]> {
    if (events.length === 0) return Promise.resolve([]);
    const weight = events.reduce((sum, event) => sum + event.weight, 0);
    return new Promise((resolve, reject) => {
      waiting.push({ events, weight, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  async #run(): Promise<void> {
    // Events posted in the same tick of the event loop share a commit.
    await Promise.resolve();
    for (let next = this.#next(); next !== undefined; next = this.#next()) await this.#commit(takeBatch(next));
    this.#running = undefined;
  }

  /** The postings of which the next commit is made; undefined when none wait. */
  #next(): Posting[] | undefined {
    const isDue = this.#waiting.length === 0 || this.#now() - this.#laterAt > LATER_MS;
    if (this.#later.length > 0 && isDue) {
      this.#laterAt = this.#now();
      return this.#later;
    }
    return this.#waiting.length > 0 ? this.#waiting : undefined;
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

/** Takes the first waiting postings: as many as one commit may contain. */
function takeBatch(waiting: Posting[]): readonly Posting[] {
  let taken = 0;
  let events = 0;
  let weight = 0;
  for (const posting of waiting) {
    events += posting.events.length;
    weight += posting.weight;
    if (taken > 0 && (events > MOST_EVENTS_PER_COMMIT || weight > MOST_WEIGHT_PER_COMMIT)) break;
    taken += 1;
  }
  return waiting.splice(0, taken);
}
