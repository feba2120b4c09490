import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { StateColumns, StatesRequest } from './wire.ts';

/** Resources at a time: their states make a text that is not too large for the young generation. */
const BATCH = 250;

/** Reads the states of a set, in batches. */
export class StateReader {
  readonly #next: StatementSync;

  constructor(database: DatabaseSync) {
    // Neither a key nor JSON holds a line end.
    this.#next = database.prepare(
      `SELECT group_concat(key, char(10)), group_concat(state, char(10)) FROM (
         SELECT key, state FROM resources WHERE set_id = ? AND key > ? AND state IS NOT NULL ORDER BY key LIMIT ${BATCH})`,
    );
    this.#next.setReturnArrays(true);
  }

  /** Undefined after the last ones. */
  next({ set, after }: StatesRequest): StateColumns | undefined {
    const [keys, states] = this.#next.get(set, after) as unknown as [string | null, string | null];
    return keys === null || states === null ? undefined : { keys, states };
  }
}
