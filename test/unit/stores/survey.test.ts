import assert from 'node:assert/strict';
import { PieceCutter } from '../../../src/stores/survey.ts';

/** Weights of live resources in the order of their keys; a tombstone is null. */
function cut(weights: readonly (number | null)[], limits: { readonly entries: number; readonly weight: number }) {
  const cutter = new PieceCutter('/00', limits);
  for (const [at, weight] of weights.entries()) {
    cutter.add({ key: keyAt(at), stamp: 2 * (at + 1), weight: weight ?? 7, live: weight !== null });
  }
  return cutter.pieces();
}

function keyAt(at: number): string {
  return `/${String(at).padStart(2, '0')}`;
}

const LIGHT = { entries: 10, weight: 1_000_000 };
const entriesOf = (pieces: ReturnType<typeof cut>) => pieces.map(({ entries }) => entries);
const weightsOf = (pieces: ReturnType<typeof cut>) => pieces.map(({ weight }) => weight);

describe('A range of keys', () => {
  it('is one piece while it is within the limits, which it may reach', () => {
    const ten = Array.from({ length: 10 }, () => 3);
    assert.deepEqual(cut(ten, LIGHT), [{ from: '/00', last: '/09', entries: 10, weight: 30, newest: 20 }]);
    assert.deepEqual(entriesOf(cut(ten, { entries: 10, weight: 30 })), [10]);
    assert.deepEqual(cut([], LIGHT), [{ from: '/00', last: undefined, entries: 0, weight: 0, newest: 0 }]);
  });

  it('beyond the most entries is cut into pieces that have the same number, with some room', () => {
    assert.deepEqual(cut(Array(11).fill(3), LIGHT), [
      { from: '/00', last: '/05', entries: 6, weight: 18, newest: 12 },
      { from: '/06', last: '/10', entries: 5, weight: 15, newest: 22 },
    ]);
    assert.deepEqual(entriesOf(cut(Array(27).fill(3), LIGHT)), [9, 9, 9]);
    assert.deepEqual(entriesOf(cut(Array(28).fill(3), LIGHT)), [7, 7, 7, 7]);
  });

  it('of large pages is cut between groups of keys', () => {
    const pieces = cut(Array(99).fill(1), { entries: 98, weight: 1_000_000 });
    assert.deepEqual(entriesOf(pieces), [50, 49]);
    assert.equal(pieces[1]!.from, '/50');
    assert.deepEqual(entriesOf(cut(Array(101).fill(1), { entries: 98, weight: 1_000_000 })), [52, 49]);
  });

  it('beyond the most weight is cut into pieces that have the same weight', () => {
    assert.deepEqual(entriesOf(cut(Array(20).fill(10), { entries: 1_000, weight: 100 })), [7, 7, 6]);
    assert.deepEqual(
      weightsOf(cut([60, 60, 60, ...Array(20).fill(1)], { entries: 1_000, weight: 100 })),
      [60, 60, 68, 12],
    );
    assert.deepEqual(
      weightsOf(cut([...Array(20).fill(1), 60, 60, 60], { entries: 1_000, weight: 100 })),
      [8, 8, 64, 60, 60],
    );
    assert.deepEqual(weightsOf(cut([90, ...Array(9).fill(10)], { entries: 1_000, weight: 100 })), [90, 90]);
    assert.deepEqual(weightsOf(cut([50, 50, 1], { entries: 1_000, weight: 100 })), [100, 1]);
  });

  it('gives what is heavier than a page a piece of its own, also at the beginning', () => {
    assert.deepEqual(weightsOf(cut([150, 10, 10], { entries: 1_000, weight: 100 })), [150, 20]);
    assert.deepEqual(weightsOf(cut([10, 150, 10], { entries: 1_000, weight: 100 })), [10, 150, 10]);
  });

  it('counts tombstones only by their stamps, and never begins a piece with one', () => {
    const pieces = cut([null, 3, 3, 3, 3, 3, 3, null, 3, 3, 3, 3, 3, null], LIGHT);
    assert.deepEqual(pieces, [
      { from: '/00', last: '/06', entries: 6, weight: 18, newest: 16 },
      { from: '/08', last: '/12', entries: 5, weight: 15, newest: 28 },
    ]);
    assert.deepEqual(cut([null, null], LIGHT), [{ from: '/00', last: undefined, entries: 0, weight: 0, newest: 4 }]);
  });
});
