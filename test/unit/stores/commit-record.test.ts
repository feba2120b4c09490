import assert from 'node:assert/strict';
import { encodeState, type ResourceState } from '../../../src/core/resource.ts';
import {
  type CommitRecord,
  decodeCommit,
  emptyRecord,
  encodeCommit,
  type LoggedChange,
} from '../../../src/stores/elasticsearch/commit-record.ts';
import { resourceId, sortKeyOf } from '../../../src/stores/elasticsearch/documents.ts';
import { stateOf } from '../../support/fault-states.ts';

const STAMP = 1_700_000_000_000_000;

describe('A commit in the log of Elasticsearch', () => {
  for (const { size, count } of [
    { size: 'few changes', count: 1 },
    { size: 'changes that are compressed', count: 2_000 },
  ]) {
    it(`with ${size} is the same for another process, states and all`, async () => {
      const record: CommitRecord = {
        ...emptyRecord({ number: 7, uuid: 'before' }, { stamp: STAMP, changesIndex: 'changes-1' }),
        changes: Array.from({ length: count }, (_, at) => [
          change(`/a${at}`, 'created', { ...stateOf(at + 1), record: PLACE }),
          change(`/b${at}`, 'updated', stateOf(at + 1)),
          change(`/c${at}`, 'deleted', undefined),
        ]).flat(),
        ledgers: [LEDGER],
        closed: [{ set: 1, ...LEDGER.window }],
      };
      const written = JSON.parse((await encodeCommit(record)).toString());
      const { changes, ...rest } = decodeCommit(record.number, written);
      // One at a time: a message with the difference of thousands takes minutes.
      for (const [at, change] of record.changes.entries()) assert.deepEqual(changes[at], change);
      assert.deepEqual({ ...rest, changes: changes.length }, { ...record, changes: record.changes.length });
    });
  }
});

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
    was: { stamp: STAMP - 4, weight: 440, live: true },
    state,
    encoded: state && encodeState(state),
  };
}
