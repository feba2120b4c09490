import assert from 'node:assert/strict';
import { type UnreadEntries, unreadAfter } from '../../../src/observe/metrics/unread-entries.ts';

describe('Entries of a source that are unread', () => {
  const found = (paths: readonly string[], problemCount = paths.length) => ({
    problems: paths.map((path) => ({ path, problem: 'it cannot be read' })),
    problemCount,
  });
  const pathsOf = (unread: UnreadEntries | undefined) => unread?.problems.map(({ path }) => path);

  it('are those that the last sync of all, or of a path that they are in, could not read', () => {
    const all = unreadAfter(undefined, found(['a', 'b/c', 'b/d/e', 'bc']), undefined);
    const other = unreadAfter(all, found(['x']), ['x', 'y']);
    assert.deepEqual(pathsOf(other), ['x', 'a', 'b/c', 'b/d/e', 'bc']);
    assert.deepEqual(pathsOf(unreadAfter(other, found([]), ['b', 'x'])), ['a', 'bc']);
    assert.deepEqual(pathsOf(unreadAfter(other, found(['b/c']), ['b/c', 'b/d'])), ['b/c', 'x', 'a', 'bc']);
    assert.equal(unreadAfter(other, found([]), ['a', 'b', 'bc', 'x']), undefined);
    assert.equal(unreadAfter(other, found([]), undefined), undefined);
    assert.deepEqual(pathsOf(unreadAfter(other, found(['z']), undefined)), ['z']);
  });

  it('remain, of more than are known by name, until a sync of all', () => {
    const many = unreadAfter(undefined, found(['a', 'b'], 5_000), undefined);
    assert.equal(unreadAfter(many, found([]), ['a'])?.problemCount, 4_999);
    assert.equal(unreadAfter(many, found([]), ['a', 'b'])?.problemCount, 4_998);
    assert.equal(unreadAfter(many, found([]), undefined), undefined);
  });
});
