import type { DatabaseSync } from 'node:sqlite';
import { MICROSECONDS } from '../../core/time-unit.ts';
import type { ChangeCounts } from '../set-statistics.ts';
import { prepareRows, type RowStatement } from './row-statement.ts';
import type { CountRequest } from './wire.ts';

/** Counts changes by kind, reading only an index that contains the kinds. */
export class ActivityCounter {
  readonly #next: RowStatement<[stamp: number]>;
  readonly #counts: RowStatement<[created: number, updated: number, deleted: number]>;

  constructor(database: DatabaseSync) {
    const range = 'FROM changes WHERE set_id = ? AND stamp > ? AND stamp < ?';
    this.#next = prepareRows(database, `SELECT stamp ${range} ORDER BY stamp LIMIT 1`);
    this.#counts = prepareRows(database, `SELECT sum(kind = 1), sum(kind = 2), sum(kind = 3) ${range}`);
  }

  count({ set, after, until, unit }: CountRequest): readonly ChangeCounts[] {
    const length = MICROSECONDS[unit];
    const counts: ChangeCounts[] = [];
    for (let last = after; ; ) {
      const [stamp] = this.#next.get(set, last, until) ?? [];
      if (stamp === undefined) return counts;
      const start = stamp - (stamp % length);
      const end = Math.min(start + length, until);
      const [created, updated, deleted] = this.#counts.get(set, last, end)!;
      counts.push({ start, created, updated, deleted });
      // Stamps of changes are even.
      last = end - 1;
    }
  }
}
