import { setTimeout as wait } from 'node:timers/promises';
import type { Applier } from './applier.ts';
import type { CommitLog } from './commit-log.ts';
import { emptyRecord } from './commit-record.ts';

/** Milliseconds that others wait for whoever has asked: enough to read what 10,000 events meet. It may have died. */
const PATIENCE = 3_000;
const LOOK_AFTER = 20;

export interface TurnsParts {
  readonly log: CommitLog;
  readonly applier: Applier;
  changesIndex(): Promise<string>;
}

/**
 * Whoever commits much needs longer than who commits little: of processes that commit without a pause, it would be too late each time. So it appends an empty
 * commit, as quickly as others append theirs, and everybody who reads it waits for the next one. That is a courtesy: only the number of a commit decides.
 */
export class Turns {
  readonly #parts: TurnsParts;
  /** The uuid of the one that was asked for here. */
  #own: string | undefined;

  constructor(parts: TurnsParts) {
    this.#parts = parts;
  }

  /** Runs work as `exclusive` does, but not while the log, as it is known, ends with another process's turn. */
  async letPass<Result>(work: () => Promise<Result>): Promise<Result> {
    const { log } = this.#parts;
    for (;;) {
      const done = await log.exclusive(async () => (this.#isOthers() ? undefined : { result: await work() }));
      if (done !== undefined) return done.result;
      await wait(LOOK_AFTER);
      await log.exclusive(() => log.catchUp());
    }
  }

  /** Asks for the next commit. Returns false when somebody else has asked before. Call it within `exclusive`. */
  async ask(): Promise<boolean> {
    const { log, applier, changesIndex } = this.#parts;
    while (!this.#isOthers()) {
      const record = {
        ...emptyRecord(log.head, { stamp: log.head.stamp, changesIndex: await changesIndex() }),
        turn: true,
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
    const { turn } = this.#parts.log;
    return turn !== undefined && turn.uuid !== this.#own && performance.now() - turn.since < PATIENCE;
  }
}
