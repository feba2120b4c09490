import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { lastKeyOf, type StateColumns, type StatesRequest } from './wire.ts';

/** Resources at a time: their states make a text that is not too large for the young generation. */
const BATCH = 250;
/** Batches in one answer: on a busy machine, threads wait for each other longer than a batch takes. */
const BATCHES = 4;

/** Reads the states of a set, in batches. */
export class StateReader {
  readonly #next: StatementSync;

  constructor(database: DatabaseSync) {
    // Neither a key nor JSON holds a line end.
    this.#next = database.prepare(
      `SELECT group_concat(key, char(10) ORDER BY key), group_concat(state, char(10) ORDER BY key) FROM (
         SELECT key, state FROM resources WHERE set_id = ? AND key > ? AND state IS NOT NULL ORDER BY key LIMIT ${BATCH})`,
    );
    this.#next.setReturnArrays(true);
  }

  /** Some batches; none after the last ones. */
  next({ set, after }: StatesRequest): readonly StateColumns[] {
    const batches: StateColumns[] = [];
    for (let last = after; batches.length < BATCHES; last = lastKeyOf(batches)!) {
      const [keys, states] = this.#next.get(set, last) as unknown as [string | null, string | null];
      if (keys === null || states === null) break;
      batches.push({ keys, states });
    }
    return batches;
  }
}
