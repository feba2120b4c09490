/** Milliseconds without a tick after which events may be lost: the process was stopped, or the machine slept. */
const GAP = 5_000;

/** Milliseconds. */
interface Clocks {
  /** Does not advance while the machine sleeps, and is never set. */
  readonly monotonic: number;
  readonly wall: number;
}

/** Counts the gaps in which a thread did not run, though it had nothing to do. */
export class ClockGaps {
  readonly #now: () => Clocks;
  #last: Clocks;
  #count = 0;

  constructor(now = systemClocks) {
    this.#now = now;
    this.#last = now();
  }

  get count(): number {
    return this.#count;
  }

  /** Call this about every second. */
  tick(): void {
    const now = this.#now();
    const gap = Math.max(now.monotonic - this.#last.monotonic, now.wall - this.#last.wall);
    this.#last = now;
    if (gap >= GAP) this.#count += 1;
  }

  /** The time since the last tick was work of this thread. The machine may have slept meanwhile. */
  worked(): void {
    const { monotonic } = this.#now();
    this.#last = { monotonic, wall: this.#last.wall + monotonic - this.#last.monotonic };
  }
}

/** Decides when a folder has to be listed again although no change was reported: at intervals, and after a gap. */
export class RelistSchedule {
  readonly #interval: number;
  readonly #gaps: Pick<ClockGaps, 'count'>;
  readonly #now: () => number;
  #lastGap: number;
  #lastList: number;

  /** @param interval milliseconds */
  constructor(interval: number, gaps: Pick<ClockGaps, 'count'>, now = () => performance.now()) {
    this.#interval = interval;
    this.#gaps = gaps;
    this.#now = now;
    this.#lastGap = gaps.count;
    this.#lastList = now();
  }

  /** True once for each interval and gap. */
  isDue(): boolean {
    const now = this.#now();
    if (this.#gaps.count === this.#lastGap && now - this.#lastList < this.#interval) return false;
    this.#lastGap = this.#gaps.count;
    this.#lastList = now;
    return true;
  }
}

function systemClocks(): Clocks {
  return { monotonic: performance.now(), wall: Date.now() };
}
