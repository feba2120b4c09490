import type { Stamp } from '../../domain/stamp.ts';
import type { CommitRecord, LedgerEntry, LoggedChange } from './commit-record.ts';
import { identityFields, isMilestone, orderOf, resourceId, stampFields, stateFields } from './documents.ts';
import type { IndexNames } from './schema.ts';

/** Changes of one bulk request: some three megabytes. */
const CHANGES_PER_BULK = 2_000;

/** The bulk requests that apply a commit, each as its lines. They may be sent in any order, and again. */
export function* bulksOf(record: CommitRecord, names: IndexNames): Iterable<string> {
  const { number, changes, ledgers, closed, changesIndex, time } = record;
  const slugs = new Map(ledgers.map(({ set, slug }) => [set, slug]));
  const last = new Map<string, Stamp>();
  for (const { set, key, stamp } of changes) last.set(orderOf(set, key), stamp);

  for (let start = 0; start < changes.length; start += CHANGES_PER_BULK) {
    let lines = '';
    for (const change of changes.slice(start, start + CHANGES_PER_BULK)) {
      const fields = fieldsOf(change, { slug: slugs.get(change.set)!, time });
      lines += changeLines(changesIndex, change, fields);
      // A key that changes twice in a commit has one state after it.
      const order = orderOf(change.set, change.key);
      if (last.get(order) === change.stamp) lines += stateLines(names.resources, resourceId(order), { change, fields });
    }
    yield lines;
  }

  let lines = '';
  for (const ledger of ledgers) lines += ledgerLines(names.ledgers, number, ledger);
  for (const { set, number: window, firstStamp, changes, weight } of closed) {
    const id = `window-${set}-${window}`;
    const body = { doc_type: 'window', set, number: window, first_stamp: firstStamp, changes, weight };
    lines += `${action('index', { index: names.ledgers, id, version: number })}${JSON.stringify(body)}\n`;
  }
  if (lines !== '') yield lines;
}

/** The `_id` of a set's ledger. */
export function ledgerId(set: number): string {
  return `ledger-${set}`;
}

function fieldsOf({ set, key, state }: LoggedChange, { slug, time }: { slug: string; time: number }): string {
  return `${identityFields(set, { key, slug, time })},${stateFields(key, state)}`;
}

function changeLines(index: string, { kind, stamp, window, weight }: LoggedChange, fields: string): string {
  const source = `{"doc_type":"change",${fields},${stampFields(kind, stamp)},"window":${window},"weight":${weight}}`;
  return `{"create":{"_index":"${index}","_id":"${stamp}"}}\n${source}\n`;
}

function stateLines(index: string, id: string, { change, fields }: { change: LoggedChange; fields: string }): string {
  const { state, stamp, created, weight } = change;
  const type = state === undefined ? 'tombstone' : 'resource';
  // A tombstone has no weight: that is how a survey tells it.
  const size = state === undefined ? '' : `,"weight":${weight}`;
  const milestone = isMilestone(id) ? ',"milestone":true' : '';
  const source = `{"doc_type":"${type}",${fields},"stamp":${stamp},"created":${created}${size}${milestone}}`;
  return `${action('index', { index, id, version: stamp })}${source}\n`;
}

function ledgerLines(index: string, commit: number, ledger: LedgerEntry): string {
  const { set, window, resources, changes, lastChange, positions } = ledger;
  const body = {
    doc_type: 'ledger',
    set,
    number: window.number,
    first_stamp: window.firstStamp,
    // Of the open window in `window`, since `changes` and `weight` are searched for in closed ones.
    window: { changes: window.changes, weight: window.weight },
    resources,
    changes,
    last_change: lastChange,
    positions,
  };
  return `${action('index', { index, id: ledgerId(set), version: commit })}${JSON.stringify(body)}\n`;
}

/** Through an alias: an index that is gone is not made anew. An older version than the one that is there is refused, the same one too: both mean that it is done. */
function action(name: string, { index, id, version }: { index: string; id: string; version: number }): string {
  return `{"${name}":{"_index":"${index}","_id":"${id}","version":${version},"version_type":"external","require_alias":true}}\n`;
}
