import assert from 'node:assert/strict';
import { encodeState, type ResourceState } from '../../../src/core/resource.ts';
import {
  type CommitDocument,
  type CommitRecord,
  decodeCommit,
  emptyRecord,
  encodeCommit,
  type LoggedChange,
  type LoggedOrder,
  ledgerAfter,
  withoutChanges,
} from '../../../src/stores/elasticsearch/commit-record.ts';
import { resourceId, sortKeyOf } from '../../../src/stores/elasticsearch/resource-documents.ts';
import { stateOf } from '../../support/fault-states.ts';

const STAMP = 1_700_000_000_000_000;

describe('A commit in the log of Elasticsearch', () => {
  for (const { size, count } of [
    { size: 'few changes', count: 1 },
    { size: 'changes that are compressed', count: 2_000 },
  ]) {
    it(`with ${size} is the same for another process, states and all`, async () => {
      const record: CommitRecord = {
        ...emptyRecord(HEAD, { stamp: STAMP, changesIndex: 'changes-1' }),
        changes: Array.from({ length: count }, (_, at) => [
          { ...change(`/a${at}`, 'created', { ...stateOf(at + 1), record: PLACE }), before: NEVER },
          change(`/b${at}`, 'updated', stateOf(at + 1)),
          { ...change(`/c${at}`, 'deleted', undefined), order: at },
        ]).flat(),
        raised: Array.from({ length: count }, (_, at) => [
          raisedOrder(`/a${at}`, stateOf(at + 1)),
          raisedOrder(`/c${at}`, undefined),
        ]).flat(),
        ledgers: [LEDGER],
        closed: [{ set: 1, ...LEDGER.window }],
      };
      const written = JSON.parse((await encodeCommit(record)).toString());
      const { changes, raised, ...rest } = decodeCommit(record, written);
      // One at a time: a message with the difference of thousands takes minutes.
      for (const [at, change] of record.changes.entries()) assert.deepEqual(changes[at], change);
      for (const [at, order] of record.raised.entries()) assert.deepEqual(raised[at], order);
      const counts = { changes: changes.length, raised: raised.length };
      assert.deepEqual({ ...rest, ...counts }, { ...record, changes: 3 * count, raised: 2 * count });
      const packed = count > 1;
      assert.deepEqual(['zstd' in written.changes, 'zstd' in written.changes.raised], [packed, packed]);
    });
  }

  it('follows the newest one, and has a name of its own', () => {
    const more = { stamp: STAMP, changesIndex: 'changes-1' };
    const { uuid, time, ...record } = emptyRecord(HEAD, more);
    const nothing = { changes: [], raised: [], ledgers: [], closed: [] };
    assert.deepEqual(record, { number: 8, segment: 2, after: 'before', ...more, ...nothing });
    assert.notEqual(uuid, emptyRecord(HEAD, more).uuid);
    assert.ok(Math.abs(time - Date.now()) < 60_000);
  });

  it('that only reserves a number, or ends a segment, is known as that, also by another process', async () => {
    const empty = emptyRecord(HEAD, { stamp: STAMP, changesIndex: 'changes-1' });
    for (const record of [empty, { ...empty, isReservation: true as const }, { ...empty, isSeal: true as const }]) {
      const written = JSON.parse((await encodeCommit(record)).toString());
      assert.deepEqual(decodeCommit(record, written), record);
      assert.equal('raised' in written.changes, false);
    }
  });

  it('moves positions of its sets and keeps the others, as does one of an older log, with all positions', () => {
    const before = { ...LEDGER, positions: { harvester: 11, other: 5 } };
    const after = { ...LEDGER, changes: 10, positions: { harvester: 12, constructor: 1 } };
    const all = { harvester: 12, other: 5, constructor: 1 };
    assert.deepEqual(ledgerAfter(before, { ledgers: [after] }), { ...after, positions: all });
    assert.deepEqual(ledgerAfter(before, { ledgers: [{ ...after, positions: all }] }), { ...after, positions: all });
    assert.equal(ledgerAfter(before, { ledgers: [{ ...after, set: 2 }] }), before);
  });

  it('that is dropped keeps its place, and nothing of what it did', async () => {
    const empty = emptyRecord(HEAD, { stamp: STAMP, changesIndex: 'changes-1' });
    const full = {
      ...empty,
      changes: [change('/a', 'created', {})],
      raised: [raisedOrder('/b', {})],
      ledgers: [LEDGER],
    };
    const written: CommitDocument = JSON.parse((await encodeCommit(full)).toString());
    const dropped = withoutChanges(written);
    assert.deepEqual(decodeCommit(empty, dropped), empty);
    assert.equal(dropped.changes.dropped, true);
    const seal = { ...empty, isSeal: true as const };
    const ended: CommitDocument = JSON.parse((await encodeCommit(seal)).toString());
    assert.deepEqual(decodeCommit(seal, withoutChanges(ended)), seal);
  });
});

const HEAD = { number: 7, segment: 2, uuid: 'before' };
const NEVER = { stamp: 0, weight: 0, live: false };
const PLACE = { artifact: 'cdl/harvest/x.avro', offset: 4_096, length: 65_536, position: 3 };
const LEDGER = {
  set: 1,
  slug: 'maps',
  window: { number: 2, firstStamp: STAMP - 2, changes: 3, weight: 900 },
  resources: 2,
  changes: 9,
  lastChange: STAMP,
  positions: { harvester: 12 },
};

function change(key: string, kind: LoggedChange['kind'], state: ResourceState | undefined): LoggedChange {
  const order = sortKeyOf(1, key);
  return {
    set: 1,
    key,
    sortKey: order,
    id: resourceId(order),
    kind,
    stamp: STAMP,
    window: 2,
    weight: 450,
    created: STAMP - 4,
    before: { stamp: STAMP - 4, weight: 440, live: true },
    state,
    encoded: state && encodeState(state),
  };
}

function raisedOrder(key: string, state: ResourceState | undefined): LoggedOrder {
  const { kind: _, window: __, before: ___, ...fields } = change(key, 'updated', state);
  return { ...fields, order: 9, raised: STAMP - 2 };
}
