import type { SetId } from '../../core/resource-set.ts';
import { clockStamp, type Stamp } from '../../core/stamp.ts';
import { MICROSECONDS } from '../../core/time-unit.ts';
import { withTimeout } from '../../lib/calls/with-timeout.ts';
import type { SummarizedSet } from '../../sets/summarized-sets.ts';
import type { ActivityMemory } from '../../stores/activity-memory.ts';

const SPARKLINE_DAYS = 30;
/** Number of sets that are counted at the same time. */
const AT_ONCE = 4;
/** Milliseconds that a page waits: sets that are not counted by then get a sparkline the next time. */
const MOST_MS = 500;
/** Number of sets whose counts are cached: about 5 MB. */
const MOST_KEPT = 10_000;

/** The number of changes on each of the last days, including the current one; oldest first. */
export type Sparkline = readonly number[];

interface Kept {
  readonly lastChange: Stamp;
  /** The day of counting, as days since 1970. */
  readonly day: number;
  readonly counts: Promise<Sparkline | undefined>;
}

/**
 * The numbers of changes of sets on each of the last days. A set without a new change is not counted again on that day,
 * so that a page of unchanged sets costs the store nothing.
 */
export class Sparklines {
  readonly #activity: Pick<ActivityMemory, 'of'>;
  readonly #kept = new Map<SetId, Kept>();

  constructor(activity: Pick<ActivityMemory, 'of'>) {
    this.#activity = activity;
  }

  /** The sparklines of the sets that were counted in time. */
  async of(sets: readonly SummarizedSet[]): Promise<ReadonlyMap<SetId, Sparkline>> {
    const lines = new Map<SetId, Sparkline>();
    const left = sets.values();
    const countSome = async () => {
      for (const set of left) {
        const line = await this.#line(set);
        if (line !== undefined) lines.set(set.set.id, line);
      }
    };
    await withTimeout(Promise.all(Array.from({ length: AT_ONCE }, countSome)), MOST_MS, () => {});
    return new Map(lines);
  }

  #line({ set: { id }, summary: { lastChange } }: SummarizedSet): Promise<Sparkline | undefined> {
    const until = clockStamp();
    const day = Math.floor(until / MICROSECONDS.day);
    const kept = this.#kept.get(id);
    if (kept?.lastChange === lastChange && kept.day === day) return kept.counts;
    const counts = this.#count(id, until);
    this.#kept.delete(id);
    this.#kept.set(id, { lastChange, day, counts });
    if (this.#kept.size > MOST_KEPT) this.#kept.delete(this.#kept.keys().next().value!);
    return counts;
  }

  /** Undefined when the store does not answer, or the set was removed: a page works without a sparkline. */
  async #count(id: SetId, until: Stamp): Promise<Sparkline | undefined> {
    try {
      const from = until - (SPARKLINE_DAYS - 1) * MICROSECONDS.day;
      const counts = await this.#activity.of(id, { from, until, unit: 'day' });
      return counts.map(({ created, updated, deleted }) => created + updated + deleted);
    } catch {
      this.#kept.delete(id);
      return undefined;
    }
  }
}
