import { setImmediate } from 'node:timers/promises';
import type { Change } from '../../core/change.ts';
import type { ResourceKey } from '../../core/key.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import type {
  ActivityRange,
  ChangeCounts,
  HistoryRange,
  LatestRange,
  SetStatistics,
  SetSummary,
  Window,
} from '../set-statistics.ts';
import { toChange } from './queries.ts';
import { BATCH, NO_UNTIL, type ReadConnection } from './read-connection.ts';

export class SqliteStatistics implements SetStatistics {
  readonly #connection: ReadConnection;

  constructor(connection: ReadConnection) {
    this.#connection = connection;
  }

  async summary(set: SetId): Promise<SetSummary> {
    return this.#connection.reads.run(() => {
      this.#connection.requireSet(set);
      return this.#summary(set);
    });
  }

  async summaries(sets: readonly SetId[]): Promise<readonly (SetSummary | undefined)[]> {
    const summaries: (SetSummary | undefined)[] = [];
    for (const set of sets) {
      if (summaries.length % BATCH === BATCH - 1) await setImmediate();
      summaries.push(this.#connection.hasSet(set) ? this.#summary(set) : undefined);
    }
    return summaries;
  }

  async activity(set: SetId, range: ActivityRange): Promise<readonly ChangeCounts[]> {
    this.#connection.requireSet(set);
    return this.#connection.reader.count({ set, ...range });
  }

  async latest(set: SetId, { after = 0, before = NO_UNTIL, limit }: LatestRange): Promise<readonly Change[]> {
    this.#connection.requireSet(set);
    const changes: Change[] = [];
    for (let until = before; changes.length < limit; until = changes.at(-1)!.stamp) {
      const wanted = Math.min(BATCH, limit - changes.length);
      const rows = this.#connection.rows(this.#connection.queries.latest, set, after, until, wanted);
      changes.push(...rows.map(toChange));
      if (rows.length < wanted) break;
      await setImmediate();
    }
    return changes;
  }

  async history(set: SetId, key: ResourceKey, { before = NO_UNTIL, limit }: HistoryRange): Promise<readonly Change[]> {
    this.#connection.requireSet(set);
    const changes: Change[] = [];
    let stamp = this.#lastChange(set, key, before);
    for (let read = 1; stamp > 0 && changes.length < limit; read++) {
      const [row] = this.#connection.rows(this.#connection.queries.change, stamp);
      if (row === undefined) break;
      if (stamp < before) changes.push(toChange(row));
      stamp = row[8];
      if (read % BATCH === 0) await setImmediate();
    }
    return changes;
  }

  async windows(set: SetId, after: Stamp): Promise<readonly Window[]> {
    this.#connection.requireSet(set);
    const rows = this.#connection.rows(this.#connection.queries.windows, set, after);
    return rows.map(([number, firstStamp, changes]) => ({ number, from: firstStamp - 1, changes }));
  }

  /**
   * If the boundary is directly below a change of the key, the stamp of the change before that one. Otherwise the stamp
   * of the last change. 0 if there is none.
   */
  #lastChange(set: SetId, key: ResourceKey, before: Stamp): Stamp {
    const { change, lastChange } = this.#connection.queries;
    const [beside] = this.#connection.rows(change, before + 1);
    if (beside !== undefined && beside[0] === set && beside[1] === key) return beside[8];
    const [[last] = [0]] = this.#connection.rows(lastChange, set, key);
    return last;
  }

  #summary(set: SetId): SetSummary {
    const rows = this.#connection.rows(this.#connection.queries.summary, set);
    const [resources, changes, lastChange] = rows[0] ?? [0, 0, 0];
    return { resources, changes, lastChange };
  }
}
