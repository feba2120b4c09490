import type { estypes } from '@elastic/elasticsearch';
import { formatStamp, type Stamp } from '../../core/stamp.ts';
import type { CommitRecord, LedgerEntry, LoggedChange, LoggedOrder } from './commit-record.ts';
import type { IndexNames } from './index-names.ts';
import { identityFields, isSampleKey, stateFields } from './resource-documents.ts';
import { TextBuffer } from './text-buffer.ts';

/** Most changes of one bulk request: some three megabytes. */
const CHANGES_PER_BULK = 3_000;
/** Bytes of the two documents of a change, with some reserve. */
const BYTES_PER_CHANGE = 1_500;

/** The `filter_path` of a bulk request for `refusalIn`. */
export const ITEM_ERRORS = ['error.type', 'error.reason', 'status', '_index', '_id']
  .map((field) => `items.*.${field}`)
  .join(',');

/** Why Elasticsearch rejected a document. */
export interface Refusal extends Pick<estypes.BulkResponseItem, '_index' | 'status'> {
  readonly _id?: string | null | undefined;
  readonly type: string;
  readonly reason?: string | null | undefined;
}

/** The first rejected document; version conflicts do not count. */
export function refusalIn({ items = [] }: Partial<estypes.BulkResponse>): Refusal | undefined {
  for (const item of items) {
    const { error, _index, _id, status } = Object.values(item)[0]!;
    if (error !== undefined && error.type !== 'version_conflict_engine_exception') {
      return { type: error.type, reason: error.reason, _index, _id, status };
    }
  }
  return undefined;
}

/**
 * Yields the bulk requests that apply a commit, as bytes. They may be sent in any order, and repeatedly.
 * @param record its ledgers have the positions of all sources
 */
export function* bulksOf(record: CommitRecord, names: IndexNames): Iterable<Buffer> {
  const { number, changes, raised, ledgers, closed, changesIndex, time } = record;
  const slugs = new Map(ledgers.map(({ set, slug }) => [set, slug]));
  const timestamp = new Date(time).toISOString();
  const last = new Map<string, Stamp>();
  for (const { sortKey, stamp } of changes) last.set(sortKey, stamp);
  // Their documents also contain the state after the last change.
  for (const order of raised) last.set(order.sortKey, order.raised);

  for (let start = 0; start < changes.length; start += CHANGES_PER_BULK) {
    const part = changes.slice(start, start + CHANGES_PER_BULK);
    const lines = new TextBuffer(part.length * BYTES_PER_CHANGE);
    for (const change of part) {
      // Used at least three times, so it is formatted once.
      const stamp = String(change.stamp);
      const head = `{"create":{"_index":"${changesIndex}","_id":"${stamp}"}}\n{"doc_type":"change",`;
      const identity = identityFields(change, { slug: slugs.get(change.set)!, timestamp });
      // Names of indices and stamps are ASCII, so the length in bytes is the length in characters.
      const from = lines.length + head.length;
      lines.write(`${head}${identity},${stateFields(change.key, change.state)}`);
      const to = lines.length;
      // A key that changes twice in a commit has one final state.
      const isLast = last.get(change.sortKey) === change.stamp;
      lines.write(`${changeTail(change, stamp)}${isLast ? stateHead(names.resources, change, stamp) : ''}`);
      if (!isLast) continue;
      lines.repeat(from, to);
      lines.write(stateTail(change, stamp));
    }
    yield lines.bytes();
  }

  for (let start = 0; start < raised.length; start += CHANGES_PER_BULK) {
    const part = raised.slice(start, start + CHANGES_PER_BULK);
    const lines = new TextBuffer(part.length * BYTES_PER_CHANGE);
    for (const order of part) {
      const identity = identityFields(order, { slug: slugs.get(order.set)!, timestamp });
      lines.write(`${stateHead(names.resources, order, String(order.raised))}${identity},`);
      lines.write(`${stateFields(order.key, order.state)}${stateTail(order, String(order.stamp))}`);
    }
    yield lines.bytes();
  }

  let lines = '';
  for (const ledger of ledgers) lines += ledgerLines(names.ledgers, number, ledger);
  for (const { set, number: window, firstStamp, changes, weight } of closed) {
    const id = `window-${set}-${window}`;
    const body = { doc_type: 'window', set, number: window, first_stamp: firstStamp, changes, weight };
    lines += `${action('index', { index: names.ledgers, id, version: number })}${JSON.stringify(body)}\n`;
  }
  if (lines !== '') yield Buffer.from(lines);
}

/** The `_id` of a set's ledger. */
export function ledgerId(set: number): string {
  return `ledger-${set}`;
}

function changeTail({ kind, stamp, window, weight, order }: LoggedChange, text: string): string {
  const times = `"datetime":"${formatStamp(stamp)}","stamp":${text}`;
  return `,"change":"${kind}",${times},"window":${window},"weight":${weight}${orderField(order)}}\n`;
}

function orderField(order: number | undefined): string {
  return order === undefined ? '' : `,"event_order":${order}`;
}

function stateHead(index: string, { id, state, stamp }: LoggedChange | LoggedOrder, version: string): string {
  const type = state !== undefined ? 'resource' : stamp > 0 ? 'tombstone' : 'order';
  return `${action('index', { index, id, version })}{"doc_type":"${type}",`;
}

function stateTail(change: LoggedChange | LoggedOrder, text: string): string {
  const { id, state, stamp, created, weight, order } = change;
  // A tombstone has no weight: a survey recognizes it by that.
  const size = state === undefined ? '' : `,"weight":${weight}`;
  const sample = isSampleKey(id) ? ',"milestone":true' : '';
  const orders = 'raised' in change ? `${orderField(order)},"raised":${change.raised}` : orderField(order);
  return `,"stamp":${text},"created":${created === stamp ? text : created}${size}${orders}${sample}}\n`;
}

function ledgerLines(index: string, commit: number, ledger: LedgerEntry): string {
  const { set, window, resources, changes, lastChange, positions } = ledger;
  const body = {
    doc_type: 'ledger',
    set,
    number: window.number,
    first_stamp: window.firstStamp,
    // The counts of the open window are in `window`, because searches use `changes` and `weight` of closed windows.
    window: { changes: window.changes, weight: window.weight },
    resources,
    changes,
    last_change: lastChange,
    positions,
  };
  return `${action('index', { index, id: ledgerId(set), version: commit })}${JSON.stringify(body)}\n`;
}

/**
 * `require_alias` keeps Elasticsearch from creating a deleted index again. Elasticsearch rejects a document whose
 * stored version is the same or newer: the work is done then.
 */
function action(name: string, { index, id, version }: { index: string; id: string; version: number | string }): string {
  return `{"${name}":{"_index":"${index}","_id":"${id}","version":${version},"version_type":"external","require_alias":true}}\n`;
}
