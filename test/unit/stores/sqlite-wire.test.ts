import assert from 'node:assert/strict';
import { CHANGE_KINDS, type ChangeEvent } from '../../../src/core/change.ts';
import { keyOfPath } from '../../../src/core/key.ts';
import { kindOfNumber, lastKeyOf, numberOfKind, toColumns, toEvents } from '../../../src/stores/sqlite/wire.ts';

const EVENT: ChangeEvent = { set: 1, key: keyOfPath('a'), state: undefined, weight: 1 };

describe('columns of events', () => {
  it('have no more of a field than the events have', () => {
    const events = [EVENT, { ...EVENT, source: 'alone' }, { ...EVENT, position: 4 }];
    const { positions, times, orders, prefixes } = toColumns(events);
    assert.deepEqual(
      { positions, times, orders, prefixes },
      { positions: [], times: [], orders: undefined, prefixes: [] },
    );
    const urlPrefix = 'http://example.org/';
    const shared = toColumns([EVENT, { ...EVENT, urlPrefix }, { ...EVENT, urlPrefix }, EVENT]).prefixes;
    assert.deepEqual(shared, [
      { at: 1, urlPrefix },
      { at: 3, urlPrefix: undefined },
    ]);
  });

  it('keep the order of those events that have one', () => {
    const ordersOf = (...events: readonly ChangeEvent[]) =>
      toEvents(toColumns(events), [0, 0]).map(({ order }) => order);
    assert.deepEqual(ordersOf(EVENT, { ...EVENT, order: 0 }), [undefined, 0]);
    assert.deepEqual(ordersOf({ ...EVENT, order: 7 }, { ...EVENT, order: 5 }), [7, 5]);
  });
});

describe('kinds of changes', () => {
  it('are numbers from 1', () => {
    assert.deepEqual(CHANGE_KINDS.map(numberOfKind), [1, 2, 3]);
    assert.deepEqual([1, 2, 3].map(kindOfNumber), CHANGE_KINDS);
  });
});

describe('batches of states', () => {
  it('end with the last key of the last one', () => {
    const states = '{}\n{}';
    assert.equal(
      lastKeyOf([
        { keys: '/a\n/b', states },
        { keys: '/c\n/de', states },
      ]),
      '/de',
    );
    assert.equal(lastKeyOf([{ keys: '/a', states: '{}' }]), '/a');
    assert.equal(lastKeyOf([]), undefined);
  });
});
