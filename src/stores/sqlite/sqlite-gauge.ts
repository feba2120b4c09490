import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { SetId } from '../../core/resource-set.ts';
import type { LogProgress, StoreGauge, StoreTotals } from '../store-gauge.ts';
import { ask } from './connection.ts';

/** Reads single rows, and one small table: 20,000 sets take some two milliseconds. */
export class SqliteGauge implements StoreGauge {
  readonly #file: string;
  readonly #lastStamp: StatementSync;
  readonly #totals: StatementSync;

  constructor(database: DatabaseSync, file: string) {
    this.#file = file;
    this.#lastStamp = database.prepare(`SELECT value FROM settings WHERE name = 'last_stamp'`);
    this.#totals = database.prepare(
      `SELECT coalesce(sum(resources), 0) AS resources, coalesce(sum(changes), 0) AS changes
       FROM summaries WHERE set_id NOT IN (SELECT value FROM json_each(?))`,
    );
  }

  /** A commit is logged and applied in one transaction. */
  async progress(): Promise<LogProgress> {
    const { value } = ask(this.#file, () => this.#lastStamp.get()) as { value: number };
    return { logged: value, applied: value, waiting: 0, waitingSince: undefined };
  }

  async totals(except: readonly SetId[]): Promise<StoreTotals> {
    const { resources, changes } = ask(this.#file, () =>
      this.#totals.get(JSON.stringify(except)),
    ) as unknown as StoreTotals;
    return { resources, changes };
  }
}
