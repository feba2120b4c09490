import type { SetId } from '../core/resource-set.ts';
import type { Stamp } from '../core/stamp.ts';
import { MICROSECONDS, type TimeUnit } from '../core/time-unit.ts';
import { Mutex } from '../lib/calls/mutex.ts';
import type { ChangeLog } from './change-log.ts';
import type { ChangeCounts, SetStatistics } from './set-statistics.ts';

export interface ActivityOptions {
  /** Microseconds since 1970. The range includes the whole hours or days of both. */
  readonly from: number;
  readonly until: number;
  readonly unit: TimeUnit;
}

/** Limits of the cache: hours or days of each set, and hours or days with changes of all sets, some 20 MB. */
const MOST_REMEMBERED = 4_000;
const MOST_COUNTS = 200_000;
/** The weight of a set without changes in the cache, as a number of counts. */
const EMPTY_SET = 4;
/** Most hours or days in one response: eleven weeks, or five years. */
export const MOST_UNITS = 2_000;

/** The cached counts of a contiguous range in the past. */
interface Known {
  /** Microseconds since 1970, at the beginning of an hour or day. */
  readonly from: number;
  readonly until: number;
  readonly counts: ReadonlyMap<number, ChangeCounts>;
}

/**
 * Counts the changes of sets for each hour or day. The log is append-only, so changes below the watermark are counted
 * once, and cached for the sets that were used last.
 */
export class ActivityMemory {
  readonly #index: Pick<SetStatistics, 'activity'> & Pick<ChangeLog, 'watermark'>;
  /** By set and unit, least recently used first. */
  readonly #known = new Map<string, Known>();
  readonly #counting = new Map<string, Mutex>();
  /** Size of the cache, as a number of counts. */
  #size = 0;

  constructor(index: Pick<SetStatistics, 'activity'> & Pick<ChangeLog, 'watermark'>) {
    this.#index = index;
  }

  /**
   * The counts of every hour or day, including those without a change.
   * @throws TidemarkError `not-found`
   */
  async of(set: SetId, options: ActivityOptions): Promise<readonly ChangeCounts[]> {
    const name = `${set} ${options.unit}`;
    // One call at a time, so that later ones use what the first has cached.
    const mutex = this.#counting.get(name) ?? new Mutex();
    this.#counting.set(name, mutex);
    try {
      return await mutex.run(() => this.#of(set, name, options));
    } finally {
      if (mutex.isFree) this.#counting.delete(name);
    }
  }

  async #of(set: SetId, name: string, { from, until, unit }: ActivityOptions): Promise<readonly ChangeCounts[]> {
    const length = MICROSECONDS[unit];
    const first = from - (from % length);
    const end = until - (until % length) + length;
    // Read before counting: changes that are committed meanwhile have stamps above it.
    const watermark = await this.#index.watermark();
    const counts = new Map<number, ChangeCounts>();
    const count = async (start: number, stop: number) => {
      if (start >= stop) return;
      const range = { after: boundaryAt(start), until: boundaryAt(stop), unit };
      for (const counted of await this.#index.activity(set, range)) counts.set(counted.start, counted);
    };
    const known = this.#known.get(name);
    const touches = known !== undefined && known.from <= end && known.until >= first;
    if (touches) {
      await count(first, Math.min(known.from, end));
      await count(Math.max(known.until, first), end);
      for (const [start, counted] of known.counts) counts.set(start, counted);
    } else await count(first, end);
    this.#remember(name, length, {
      from: touches ? Math.min(known.from, first) : first,
      until: Math.max(touches ? known.until : 0, Math.min(end, watermark - (watermark % length))),
      counts,
    });
    return allUnits({ first, end, length }, counts);
  }

  #remember(name: string, length: number, { from, until, counts }: Known): void {
    this.#forget(name);
    if (from >= until || until - from > MOST_REMEMBERED * length) return;
    const over = new Map([...counts].filter(([start]) => start < until));
    this.#known.set(name, { from, until, counts: over });
    this.#size += over.size + EMPTY_SET;
    while (this.#size > MOST_COUNTS) this.#forget(this.#known.keys().next().value!);
  }

  #forget(name: string): void {
    const known = this.#known.get(name);
    if (known === undefined) return;
    this.#size -= known.counts.size + EMPTY_SET;
    this.#known.delete(name);
  }
}

/** Stamps of changes are even, so this is the boundary below the first change of an hour or day. */
function boundaryAt(start: number): Stamp {
  return start - 1;
}

function allUnits(
  { first, end, length }: { readonly first: number; readonly end: number; readonly length: number },
  counts: ReadonlyMap<number, ChangeCounts>,
): readonly ChangeCounts[] {
  const units: ChangeCounts[] = [];
  for (let start = first; start < end; start += length) {
    units.push(counts.get(start) ?? { start, created: 0, updated: 0, deleted: 0 });
  }
  return units;
}
