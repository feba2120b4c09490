import { setTimeout as wait } from 'node:timers/promises';
import type { Applier } from './applier.ts';
import type { CommitLog } from './commit-log.ts';
import { emptyRecord } from './commit-record.ts';

/**
 * Milliseconds that other processes wait for the process with a reservation, which may have died: long enough to read
 * the current states for 10,000 events.
 */
const RESERVED_MS = 3_000;
const POLL_INTERVAL_MS = 20;

interface ReservationsParts {
  readonly log: CommitLog;
  readonly applier: Applier;
  changesIndex(): Promise<string>;
}

/**
 * A large commit takes longer to prepare than a small one: against processes that commit all the time, it would lose
 * every race. So its process quickly appends an empty commit as a reservation, and every process that reads it waits
 * for the next commit. Reservations are cooperative: only the number of a commit decides.
 */
export class Reservations {
  readonly #parts: ReservationsParts;
  /** The uuid of this process's reservation. */
  #own: string | undefined;

  constructor(parts: ReservationsParts) {
    this.#parts = parts;
  }

  /** As `exclusive`, but first waits while the head of the log is another process's reservation. */
  async letPass<Result>(work: () => Promise<Result>): Promise<Result> {
    const { log } = this.#parts;
    for (;;) {
      const done = await log.exclusive(async () => (this.#isOthers() ? undefined : { result: await work() }));
      if (done !== undefined) return done.result;
      await wait(POLL_INTERVAL_MS);
      await log.exclusive(() => log.catchUp());
    }
  }

  /** Reserves the next commit. Returns false when another process has reserved it. Call it within `exclusive`. */
  async reserve(): Promise<boolean> {
    const { log, applier, changesIndex } = this.#parts;
    while (!this.#isOthers()) {
      const record = {
        ...emptyRecord(log.head, { stamp: log.head.stamp, changesIndex: await changesIndex() }),
        isReservation: true,
      } as const;
      this.#own = record.uuid;
      if (await log.append(record)) {
        applier.start(record);
        return true;
      }
      await log.catchUp();
    }
    return false;
  }

  #isOthers(): boolean {
    const { reservation } = this.#parts.log;
    return (
      reservation !== undefined && reservation.uuid !== this.#own && performance.now() - reservation.since < RESERVED_MS
    );
  }
}
