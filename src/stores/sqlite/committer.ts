import type { DatabaseSync } from 'node:sqlite';
import { type AcceptedClock, clockIsBehind, isAhead } from '../../core/accepted-clock.ts';
import { type CurrentState, type DecidedChange, type Decisions, decideBatch } from '../../core/decide-batch.ts';
import { parseStored } from '../../core/errors.ts';
import type { SetId } from '../../core/resource-set.ts';
import { clockStamp, type Stamp } from '../../core/stamp.ts';
import { failpoint } from '../../lib/failpoint.ts';
import { transaction } from '../../lib/sqlite/sqlite-transaction.ts';
import { ACCEPTED_CLOCK, type JumpCheck } from '../store-clock.ts';
import { Settings } from './database-settings.ts';
import type { FenceRow } from './fence-row.ts';
import { prepareRows } from './row-statement.ts';
import { SetLedgers } from './set-ledgers.ts';
import { type EventColumns, numberOfKind, type ResultColumns, toEvents, toResultColumns } from './wire.ts';

type FoundRow = [
  row: number,
  state: string | null,
  stamp: Stamp,
  created: Stamp,
  weight: number,
  order: number | null,
  raised: Stamp | null,
];

/** The stored states of the keys of a batch, ascending by set and key. */
interface StoredKeys {
  /** The index of each event's key. */
  readonly ofEvents: readonly number[];
  readonly sets: readonly SetId[];
  readonly keys: readonly string[];
  /** Undefined for a key that is not stored. */
  readonly rows: readonly (number | undefined)[];
  readonly states: readonly (CurrentState | undefined)[];
}

interface CommitterParts {
  readonly database: DatabaseSync;
  readonly fence: FenceRow;
  readonly jumps: JumpCheck;
}

/** Writes commits on one connection. Synchronous. */
export class Committer {
  readonly #database: DatabaseSync;
  readonly #fence: FenceRow;
  readonly #settings: Settings;
  readonly #ledgers: SetLedgers;
  readonly #jumps: JumpCheck;
  readonly #statements;

  constructor({ database, fence, jumps }: CommitterParts) {
    this.#database = database;
    this.#fence = fence;
    this.#jumps = jumps;
    this.#settings = new Settings(database);
    this.#ledgers = new SetLedgers(database);
    this.#statements = {
      find: prepareRows<FoundRow>(
        database,
        'SELECT rowid, state, stamp, created, weight, event_order, raised FROM resources WHERE set_id = ? AND key = ?',
      ),
      log: database.prepare(
        'INSERT INTO changes (stamp, set_id, window, kind, key, weight, state, previous, event_order) VALUES (?,?,?,?,?,?,?,?,?)',
      ),
      create: database.prepare(
        'INSERT INTO resources (set_id, key, stamp, created, weight, state, event_order, raised) VALUES (?,?,?,?,?,?,?,?)',
      ),
      accepted: database.prepare('SELECT body FROM catalog WHERE kind = ? AND id = ?'),
      update: database.prepare(
        'UPDATE resources SET stamp = ?, created = ?, weight = ?, state = ?, event_order = ?, raised = ? WHERE rowid = ?',
      ),
    };
  }

  commit(events: EventColumns): ResultColumns {
    const results = transaction(this.#database, () => {
      this.#fence.require();
      failpoint('commit.begun');
      return this.#append(events);
    });
    failpoint('commit.committed');
    return results;
  }

  mark(): Stamp {
    return transaction(this.#database, () => {
      this.#fence.require();
      const now = Date.now();
      this.#jumps.require(now);
      const last = Math.max(this.#settings.lastStamp(), clockStamp(now));
      this.#settings.setLastStamp(last);
      return last + 1;
    });
  }

  #append(columns: EventColumns): ResultColumns {
    const stored = this.#read(columns);
    const events = toEvents(columns, stored.ofEvents);
    const last = this.#settings.lastStamp();
    const sets = this.#ledgers.read(events);
    const decisions = decideBatch({ events, sets, keys: stored.states, last, now: this.#now(last) });
    failpoint('commit.decided');
    this.#writeLog(decisions.changes, columns);
    failpoint('commit.logged');
    this.#writeStates(stored, decisions.keys);
    this.#ledgers.write(decisions.sets);
    this.#settings.setLastStamp(decisions.last);
    failpoint('commit.applied');
    return toResultColumns(decisions);
  }

  /**
   * The time of the clock.
   * @throws TidemarkError `unavailable` when the clock is wrong, or was wrong when the last stamp was given
   */
  #now(last: Stamp): number {
    const now = Date.now();
    this.#jumps.require(now);
    if (isAhead(last, undefined, now) && isAhead(last, this.#acceptedClock(), now)) throw clockIsBehind(last, now);
    return now;
  }

  #acceptedClock(): AcceptedClock | undefined {
    const found = this.#statements.accepted.get(ACCEPTED_CLOCK.kind, ACCEPTED_CLOCK.id);
    return found && parseStored(found.body as string, 'the accepted clock');
  }

  #writeLog(changes: readonly DecidedChange[], { sets, keys }: EventColumns): void {
    for (const { event: at, kind, window, before, after } of changes) {
      const { stamp, weight, state = null, order = null } = after;
      const [set, key, previous] = [sets[at]!, keys[at]!, before?.stamp ?? 0];
      this.#statements.log.run(stamp, set, window, numberOfKind(kind), key, weight, state, previous, order);
    }
  }

  /** Reads the keys in sorted order: neighbours are on the same pages of the index. */
  #read({ sets, keys }: EventColumns): StoredKeys {
    const order = sets.map((_, at) => at).sort((a, b) => sets[a]! - sets[b]! || compare(keys[a]!, keys[b]!));
    const stored = { sets: [] as SetId[], keys: [] as string[], rows: [] as (number | undefined)[] };
    const states: (CurrentState | undefined)[] = [];
    const ofEvents = new Array<number>(keys.length);
    for (const at of order) {
      const [set, key] = [sets[at]!, keys[at]!];
      if (stored.keys.at(-1) !== key || stored.sets.at(-1) !== set) {
        const { row, current } = this.#find(set, key);
        stored.sets.push(set);
        stored.keys.push(key);
        stored.rows.push(row);
        states.push(current);
      }
      ofEvents[at] = states.length - 1;
    }
    return { ...stored, states, ofEvents };
  }

  #find(set: SetId, key: string): { row: number | undefined; current: CurrentState | undefined } {
    const found = this.#statements.find.get(set, key);
    if (found === undefined) return { row: undefined, current: undefined };
    const [row, state, stamp, created, weight, order, raised] = found;
    const current = { stamp, created, weight, order: order ?? undefined, raised: raised ?? undefined };
    return { row, current: { ...current, state: state ?? undefined } };
  }

  #writeStates({ sets, keys, rows, states }: StoredKeys, decided: Decisions['keys']): void {
    const { create, update } = this.#statements;
    for (const [at, after] of decided.entries()) {
      if (after === undefined || after === states[at]) continue;
      const { stamp, created, weight, state = null, order = null, raised = null } = after;
      const row = rows[at];
      if (row === undefined) create.run(sets[at]!, keys[at]!, stamp, created, weight, state, order, raised);
      else update.run(stamp, created, weight, state, order, raised, row);
    }
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
