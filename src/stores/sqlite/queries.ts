import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Change } from '../../core/change.ts';
import { decodeState, type Resource, type Tombstone } from '../../core/resource.ts';
import type { LogEntry } from '../change-log.ts';
import { kindOfNumber } from './wire.ts';

/** A query over a range of keys: `first` from a key, `next` above one. */
interface ByKey {
  readonly first: StatementSync;
  readonly next: StatementSync;
}

/** The statements that read. Rows are arrays, which node:sqlite makes twice as fast as objects. */
export class Queries {
  readonly states: ByKey;
  readonly resources: ByKey;
  readonly survey: ByKey;
  readonly state: StatementSync;
  readonly changes: StatementSync;
  readonly log: StatementSync;
  readonly positions: StatementSync;
  readonly raisedOrders: StatementSync;
  readonly newest: StatementSync;
  readonly latest: StatementSync;
  readonly change: StatementSync;
  readonly lastChange: StatementSync;
  readonly windows: StatementSync;
  readonly tail: StatementSync;
  readonly lastStamp: StatementSync;
  readonly summary: StatementSync;
  readonly set: StatementSync;

  constructor(database: DatabaseSync) {
    const prepare = (sql: string) => {
      const statement = database.prepare(sql);
      statement.setReturnArrays(true);
      return statement;
    };
    const byKey = (columns: string, where = '') => {
      const sql = (above: string) =>
        prepare(
          `SELECT ${columns} FROM resources WHERE set_id = ? AND key ${above} ? AND key < ? ${where} ORDER BY key LIMIT ?`,
        );
      return { first: sql('>='), next: sql('>') };
    };
    // A row with stamp 0 has nothing but an order.
    this.states = byKey('key, state, stamp, created, event_order', 'AND stamp > 0');
    this.resources = byKey('key, state, stamp, created, event_order', 'AND state IS NOT NULL');
    this.survey = byKey('key, stamp, weight, state IS NOT NULL');
    this.state = prepare(
      'SELECT key, state, stamp, created, event_order FROM resources WHERE set_id = ? AND key = ? AND stamp > 0',
    );
    this.changes = prepare(
      `SELECT set_id, key, kind, stamp, weight, state, window, event_order FROM changes
       WHERE set_id = ? AND stamp > ? AND stamp < ? ORDER BY stamp LIMIT ?`,
    );
    this.log = prepare(
      `SELECT set_id, key, kind, stamp, weight, state, window, event_order FROM changes
       WHERE stamp > ? AND stamp < ? ORDER BY stamp LIMIT ?`,
    );
    this.positions = prepare('SELECT set_id, source, position FROM positions');
    this.raisedOrders = prepare(
      'SELECT set_id, key, event_order, raised FROM resources WHERE raised > ? AND raised < ? ORDER BY raised LIMIT ?',
    );
    this.newest = prepare(
      'SELECT stamp, weight FROM changes WHERE set_id = ? AND stamp < ? ORDER BY stamp DESC LIMIT ?',
    );
    this.latest = prepare(
      `SELECT set_id, key, kind, stamp, weight, state, window, event_order FROM changes
       WHERE set_id = ? AND stamp > ? AND stamp < ? ORDER BY stamp DESC LIMIT ?`,
    );
    this.change = prepare(
      'SELECT set_id, key, kind, stamp, weight, state, window, event_order, previous FROM changes WHERE stamp = ?',
    );
    this.lastChange = prepare('SELECT stamp FROM resources WHERE set_id = ? AND key = ?');
    this.windows = prepare(
      'SELECT number, first_stamp, changes FROM windows WHERE set_id = ? AND first_stamp > ? ORDER BY number',
    );
    this.tail = prepare('SELECT set_id, key, kind, stamp, weight FROM changes WHERE stamp > ? ORDER BY stamp LIMIT ?');
    this.lastStamp = prepare(`SELECT value FROM settings WHERE name = 'last_stamp'`);
    this.summary = prepare('SELECT resources, changes, last_change FROM summaries WHERE set_id = ?');
    this.set = prepare(
      `SELECT json_extract(body, '$.removed') IS NOT NULL FROM catalog WHERE kind = 'set' AND id = printf('%010d', ?)`,
    );
  }
}

export function toResource(row: unknown[]): Resource | Tombstone {
  const [key, state, stamp, created, order] = row as [string, string | null, number, number, number | null];
  const resource = { key, state: state === null ? undefined : decodeState(state), stamp, created };
  return order === null ? resource : { ...resource, order };
}

export function toChange(row: unknown[]): Change {
  const [set, key, kind, stamp, weight, state, window, order] = row as [
    number,
    string,
    number,
    number,
    number,
    string | null,
    number,
    number | null,
  ];
  const change = {
    set,
    key,
    kind: kindOfNumber(kind),
    stamp,
    weight,
    state: state === null ? undefined : decodeState(state),
    window,
  };
  return order === null ? change : { ...change, order };
}

export function toLogEntry(row: unknown[]): LogEntry {
  const [set, key, kind, stamp, weight] = row as [number, string, number, number, number];
  return { set, key, kind: kindOfNumber(kind), stamp, weight };
}
