/** Milliseconds without a tick after which events may be lost: the process was stopped, or the machine slept. */
const GAP = 5_000;

/** Milliseconds. */
interface Clocks {
  /** Does not advance while the machine sleeps, and is never set. */
  readonly monotonic: number;
  readonly wall: number;
}

/** Decides when a folder has to be listed again although no change was reported: at intervals, and after a gap. */
export class RelistSchedule {
  readonly #interval: number;
  readonly #now: () => Clocks;
  #lastTick: Clocks;
  #lastList: number;

  /** @param interval milliseconds */
  constructor(interval: number, now = systemClocks) {
    this.#interval = interval;
    this.#now = now;
    this.#lastTick = now();
    this.#lastList = this.#lastTick.monotonic;
  }

  /** Call this about every second. */
  isDue(): boolean {
    const { monotonic, wall } = this.#now();
    const gap = Math.max(monotonic - this.#lastTick.monotonic, wall - this.#lastTick.wall);
    this.#lastTick = { monotonic, wall };
    if (gap < GAP && monotonic - this.#lastList < this.#interval) return false;
    this.#lastList = monotonic;
    return true;
  }
}

function systemClocks(): Clocks {
  return { monotonic: performance.now(), wall: Date.now() };
}
