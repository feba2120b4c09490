import type { DatabaseSync } from 'node:sqlite';
import type { Change } from '../../core/change.ts';
import type { ResourceKey } from '../../core/key.ts';
import { decodeState, type EncodedState, type Resource, type Tombstone } from '../../core/resource.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { LogEntry } from '../change-log.ts';
import { prepareRows, type RowStatement } from './row-statement.ts';
import { kindOfNumber } from './wire.ts';

export type StateRow = [
  key: ResourceKey,
  state: EncodedState | null,
  stamp: Stamp,
  created: Stamp,
  order: number | null,
];
export type SurveyRow = [key: ResourceKey, stamp: Stamp, weight: number, live: 0 | 1];
export type EntryRow = [set: SetId, key: ResourceKey, kind: number, stamp: Stamp, weight: number];
export type ChangeRow = [...entry: EntryRow, state: EncodedState | null, window: number, order: number | null];
type SummaryRow = [resources: number, changes: number, lastChange: Stamp];

/** A query over a range of keys: `first` includes the start key, `next` excludes it. */
export interface ByKey<Row> {
  readonly first: RowStatement<Row>;
  readonly next: RowStatement<Row>;
}

export type Queries = ReturnType<typeof prepareQueries>;

const CHANGE = 'set_id, key, kind, stamp, weight, state, window, event_order';

/** The prepared read statements of the connection of one thread. */
export function prepareQueries(database: DatabaseSync) {
  const prepare = <Row extends readonly unknown[]>(sql: string) => prepareRows<Row>(database, sql);
  const byKey = <Row extends readonly unknown[]>(columns: string, where = ''): ByKey<Row> => {
    const sql = (above: string) =>
      prepare<Row>(
        `SELECT ${columns} FROM resources WHERE set_id = ? AND key ${above} ? AND key < ? ${where} ORDER BY key LIMIT ?`,
      );
    return { first: sql('>='), next: sql('>') };
  };
  const ofSet = 'FROM changes WHERE set_id = ? AND stamp > ? AND stamp < ?';
  return {
    // A row with stamp 0 has only an order.
    states: byKey<StateRow>('key, state, stamp, created, event_order', 'AND stamp > 0'),
    resources: byKey<StateRow>('key, state, stamp, created, event_order', 'AND state IS NOT NULL'),
    survey: byKey<SurveyRow>('key, stamp, weight, state IS NOT NULL'),
    state: prepare<StateRow>(
      'SELECT key, state, stamp, created, event_order FROM resources WHERE set_id = ? AND key = ? AND stamp > 0',
    ),
    changes: prepare<ChangeRow>(`SELECT ${CHANGE} ${ofSet} ORDER BY stamp LIMIT ?`),
    latest: prepare<ChangeRow>(`SELECT ${CHANGE} ${ofSet} ORDER BY stamp DESC LIMIT ?`),
    log: prepare<ChangeRow>(`SELECT ${CHANGE} FROM changes WHERE stamp > ? AND stamp < ? ORDER BY stamp LIMIT ?`),
    change: prepare<[...change: ChangeRow, previous: Stamp]>(`SELECT ${CHANGE}, previous FROM changes WHERE stamp = ?`),
    lastChange: prepare<[Stamp]>('SELECT stamp FROM resources WHERE set_id = ? AND key = ?'),
    positions: prepare<[set: SetId, source: string, position: number]>(
      'SELECT set_id, source, position FROM positions',
    ),
    raisedOrders: prepare<[set: SetId, key: ResourceKey, order: number, stamp: Stamp]>(
      'SELECT set_id, key, event_order, raised FROM resources WHERE raised > ? AND raised < ? ORDER BY raised LIMIT ?',
    ),
    newest: prepare<[stamp: Stamp, weight: number]>(
      'SELECT stamp, weight FROM changes WHERE set_id = ? AND stamp < ? ORDER BY stamp DESC LIMIT ?',
    ),
    windows: prepare<[number: number, firstStamp: Stamp, changes: number]>(
      'SELECT number, first_stamp, changes FROM windows WHERE set_id = ? AND first_stamp > ? ORDER BY number',
    ),
    tail: prepare<EntryRow>(
      'SELECT set_id, key, kind, stamp, weight FROM changes WHERE stamp > ? ORDER BY stamp LIMIT ?',
    ),
    lastStamp: prepare<[Stamp]>(`SELECT value FROM settings WHERE name = 'last_stamp'`),
    summary: prepare<SummaryRow>('SELECT resources, changes, last_change FROM summaries WHERE set_id = ?'),
    set: prepare<[isRemoved: 0 | 1]>(
      `SELECT json_extract(body, '$.removed') IS NOT NULL FROM catalog WHERE kind = 'set' AND id = printf('%010d', ?)`,
    ),
  };
}

export function toResource([key, state, stamp, created, order]: StateRow): Resource | Tombstone {
  const resource = { key, state: state === null ? undefined : decodeState(state), stamp, created };
  return order === null ? resource : { ...resource, order };
}

export function toChange(row: readonly [...ChangeRow, ...unknown[]]): Change {
  const [set, key, kind, stamp, weight, state, window, order] = row;
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

export function toLogEntry([set, key, kind, stamp, weight]: EntryRow): LogEntry {
  return { set, key, kind: kindOfNumber(kind), stamp, weight };
}
