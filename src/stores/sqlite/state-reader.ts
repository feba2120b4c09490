import type { DatabaseSync } from 'node:sqlite';
import { prepareRows, type RowStatement } from './row-statement.ts';
import { lastKeyOf, type StateColumns, type StatesRequest } from './wire.ts';

/** Resources of a batch: the text of their states is small enough for the young generation. */
const BATCH = 250;
/** Batches of one response: on a busy machine, threads wait for each other longer than a batch takes. */
const BATCHES = 4;

/** Reads the states of a set, in batches. */
export class StateReader {
  readonly #next: RowStatement<[keys: string | null, states: string | null]>;

  constructor(database: DatabaseSync) {
    // Neither keys nor JSON contain line ends.
    this.#next = prepareRows(
      database,
      `SELECT group_concat(key, char(10) ORDER BY key), group_concat(state, char(10) ORDER BY key) FROM (
         SELECT key, state FROM resources WHERE set_id = ? AND key > ? AND state IS NOT NULL ORDER BY key LIMIT ${BATCH})`,
    );
  }

  /** Returns the next batches; empty after the last one. */
  next({ set, after }: StatesRequest): readonly StateColumns[] {
    const batches: StateColumns[] = [];
    for (let last = after; batches.length < BATCHES; last = lastKeyOf(batches)!) {
      const [keys, states] = this.#next.get(set, last)!;
      if (keys === null || states === null) break;
      batches.push({ keys, states });
    }
    return batches;
  }
}
