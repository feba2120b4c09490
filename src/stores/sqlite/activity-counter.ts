import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { MICROSECONDS } from '../../core/time-unit.ts';
import type { ChangeCounts } from '../set-statistics.ts';
import type { CountRequest } from './wire.ts';

/** Counts changes by reading only their index, which has their kinds. */
export class ActivityCounter {
  readonly #next: StatementSync;
  readonly #counts: StatementSync;

  constructor(database: DatabaseSync) {
    const prepare = (sql: string) => {
      const statement = database.prepare(sql);
      statement.setReturnArrays(true);
      return statement;
    };
    const range = 'FROM changes WHERE set_id = ? AND stamp > ? AND stamp < ?';
    this.#next = prepare(`SELECT stamp ${range} ORDER BY stamp LIMIT 1`);
    this.#counts = prepare(`SELECT sum(kind = 1), sum(kind = 2), sum(kind = 3) ${range}`);
  }

  count({ set, after, until, unit }: CountRequest): readonly ChangeCounts[] {
    const length = MICROSECONDS[unit];
    const counts: ChangeCounts[] = [];
    for (let last = after; ; ) {
      const [stamp] = (this.#next.get(set, last, until) ?? []) as unknown as [number?];
      if (stamp === undefined) return counts;
      const start = stamp - (stamp % length);
      const end = Math.min(start + length, until);
      const [created, updated, deleted] = this.#counts.get(set, last, end) as unknown as [number, number, number];
      counts.push({ start, created, updated, deleted });
      // Stamps of changes are even.
      last = end - 1;
    }
  }
}
