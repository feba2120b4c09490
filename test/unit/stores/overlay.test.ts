import assert from 'node:assert/strict';
import { encodeState } from '../../../src/core/resource.ts';
import {
  type CommitRecord,
  emptyRecord,
  type LoggedChange,
  type LoggedOrder,
} from '../../../src/stores/elasticsearch/commit-record.ts';
import { Overlay } from '../../../src/stores/elasticsearch/overlay.ts';
import { resourceId, sortKeyOf } from '../../../src/stores/elasticsearch/resource-documents.ts';

const KEY = sortKeyOf(1, '/a');
const STATE = { length: 1 };

describe('The overlay of commits that are not applied yet', () => {
  let overlay: Overlay;
  beforeEach(() => {
    overlay = new Overlay();
  });

  function record(fields: Partial<CommitRecord>): CommitRecord {
    return {
      ...emptyRecord({ number: 1, segment: 1, uuid: 'before' }, { stamp: 8, changesIndex: 'changes-1' }),
      ...fields,
    };
  }
  const names = { set: 1, key: '/a', sortKey: KEY, id: resourceId(KEY) };
  const facts = { created: 2, weight: 100, state: STATE, encoded: encodeState(STATE) };
  const before = { stamp: 0, weight: 0, live: false };
  const change = (stamp: number, more: Partial<LoggedChange> = {}): LoggedChange => {
    return { ...names, ...facts, kind: 'updated', window: 1, before, stamp, ...more };
  };
  const raised = (order: number, at: number): LoggedOrder => ({ ...names, ...facts, stamp: 4, order, raised: at });
  const stamp = () => overlay.get(KEY)?.stamp;

  it('has the last state of each key, and nothing of others', () => {
    overlay.apply(record({ changes: [change(2), change(4, { order: 7 })] }));
    const { encoded: state, created, weight } = change(4);
    assert.deepEqual(overlay.get(KEY), { state, stamp: 4, created, weight, order: 7, raised: undefined });
    assert.equal(overlay.get(sortKeyOf(1, '/b')), undefined);
  });

  it('has an order that rose after the last change', () => {
    overlay.apply(record({ changes: [change(4)], raised: [raised(9, 6)] }));
    const { encoded: state, created, weight } = change(4);
    assert.deepEqual(overlay.get(KEY), { state, stamp: 4, created, weight, order: 9, raised: 6 });
  });

  it('forgets what was applied, unless a later commit has changed it', () => {
    const [first, second] = [record({ changes: [change(2)] }), record({ changes: [change(4)] })];
    overlay.apply(first);
    overlay.apply(second);
    overlay.forget(first);
    assert.equal(stamp(), 4);
    overlay.forget(second);
    assert.equal(stamp(), undefined);
    const order = record({ raised: [raised(9, 6)] });
    overlay.apply(order);
    overlay.forget(second);
    assert.equal(stamp(), 4);
    overlay.forget(order);
    assert.equal(stamp(), undefined);
  });
});
