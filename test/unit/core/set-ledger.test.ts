import assert from 'node:assert/strict';
import { type ChangeKind, decide } from '../../../src/core/change.ts';
import type { EncodedState } from '../../../src/core/resource.ts';
import { MAX_ENTRIES_WEIGHT } from '../../../src/core/resource-set.ts';
import { countChange, emptyLedger, type SetLedger } from '../../../src/core/set-ledger.ts';

describe('an event', () => {
  it('makes the change that its state and the one before say', () => {
    const [one, other] = ['{"length":1}', '{"length":2}'] as EncodedState[];
    const decisions: [EncodedState | undefined, EncodedState | undefined, ChangeKind | undefined][] = [
      [undefined, undefined, undefined],
      [undefined, one, 'created'],
      [one, undefined, 'deleted'],
      [one, other, 'updated'],
      [one, one, undefined],
    ];
    for (const [before, after, kind] of decisions) assert.equal(decide(before, after), kind);
  });
});

describe('the ledger of a set', () => {
  const set = { windowChanges: 2, epochStart: 1 };
  const count = (
    ledger: SetLedger,
    stamp: number,
    more: { weight?: number; window?: number; kind?: ChangeKind } = {},
  ) => countChange(ledger, { kind: 'created', weight: 10, ...more, stamp }, set);

  it('counts changes and resources', () => {
    const ledger = emptyLedger();
    assert.deepEqual(ledger, {
      window: { number: 0, firstStamp: 0, changes: 0, weight: 0 },
      resources: 0,
      changes: 0,
      lastChange: 0,
    });
    assert.equal(count(ledger, 10), undefined, 'there is no window before the first');
    assert.equal(count(ledger, 12, { kind: 'updated' }), undefined);
    assert.deepEqual(ledger.window, { number: 1, firstStamp: 10, changes: 2, weight: 20 });
    assert.deepEqual([ledger.resources, ledger.changes, ledger.lastChange], [1, 2, 12]);
    count(ledger, 14, { kind: 'deleted' });
    assert.deepEqual([ledger.resources, ledger.changes, ledger.lastChange], [0, 3, 14]);
  });

  it('returns the window that the first change of the next one closes', () => {
    const ledger = emptyLedger();
    for (const stamp of [10, 12]) count(ledger, stamp);
    assert.deepEqual(count(ledger, 14), { number: 1, firstStamp: 10, changes: 2, weight: 20 });
    assert.deepEqual(ledger.window, { number: 2, firstStamp: 14, changes: 1, weight: 10 });
  });

  it('closes a window that has no room for the weight of a change', () => {
    const ledger = emptyLedger();
    count(ledger, 10, { weight: MAX_ENTRIES_WEIGHT - 1 });
    assert.equal(count(ledger, 12, { weight: 1 }), undefined);
    const heavy = emptyLedger();
    count(heavy, 10, { weight: MAX_ENTRIES_WEIGHT - 1 });
    assert.equal(count(heavy, 12, { weight: 2 })?.changes, 1);
  });

  it('closes a window that began before its epoch', () => {
    const ledger = emptyLedger();
    count(ledger, 10);
    assert.equal(countChange(ledger, { kind: 'created', weight: 1, stamp: 12 }, { ...set, epochStart: 10 }), undefined);
    const older = emptyLedger();
    count(older, 10);
    assert.equal(countChange(older, { kind: 'created', weight: 1, stamp: 12 }, { ...set, epochStart: 11 })?.number, 1);
  });

  it('has a first window also when its epoch has no beginning', () => {
    const ledger = emptyLedger();
    countChange(ledger, { kind: 'created', weight: 1, stamp: 12 }, { windowChanges: 2, epochStart: 0 });
    assert.equal(ledger.window.number, 1);
  });

  it('follows the windows of a log that is made again, however many changes they have', () => {
    const ledger = emptyLedger();
    for (const stamp of [10, 12, 14]) assert.equal(count(ledger, stamp, { window: 1 }), undefined);
    assert.equal(ledger.window.changes, 3);
    assert.equal(count(ledger, 16, { window: 2 })?.changes, 3);
    assert.equal(ledger.window.number, 2);
  });
});
