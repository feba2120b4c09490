import assert from 'node:assert/strict';
import { ResourceTable } from '../../../src/client/validate/model/resource-table.ts';

const AT = { document: 0, line: 7 };
const uriOf = (number: number) => `https://example.org/resources/${number}.txt`;
const hashOf = (number: number) => `sha-256:${number.toString(16).padStart(7, '0').padEnd(64, '0')}`;
const listed = (hash?: string) => ({ hash, modified: Number.NaN, place: AT });
const changed = (hash?: string) => ({ hash, isDeleted: false, isLater: false, place: { document: 1, line: 9 } });

describe('the table of a set’s resources', () => {
  it('knows which of 50,000 resources were listed, and which twice', () => {
    const table = new ResourceTable();
    for (let number = 0; number < 50_000; number++) assert.equal(table.list(uriOf(number), listed()), false);
    assert.equal(table.list(uriOf(7), listed()), true);
    assert.ok(table.isListed(uriOf(49_999)));
    assert.ok(!table.isListed(uriOf(50_000)));
  });

  it('finds where list and changes differ', () => {
    const table = new ResourceTable();
    for (const number of [1, 2, 3, 4]) table.list(uriOf(number), listed(hashOf(number)));
    table.change(uriOf(1), changed(hashOf(1)));
    table.change(uriOf(2), changed(hashOf(9)));
    table.change(uriOf(3), { ...changed(), isDeleted: true });
    table.change(uriOf(5), changed(hashOf(5)));
    assert.deepEqual([...table.differences(Number.NaN)].map(({ kind }) => kind).sort(), [
      'another-hash',
      'missing',
      'not-deleted',
    ]);
  });

  it('compares neither hashes of two algorithms, nor what changed after the list', () => {
    const table = new ResourceTable();
    for (const number of [1, 2]) table.list(uriOf(number), listed(hashOf(number)));
    table.change(uriOf(1), changed(`md5:${'1'.repeat(32)}`));
    table.change(uriOf(2), { ...changed(hashOf(3)), isLater: true });
    table.change(uriOf(3), { ...changed(hashOf(3)), isLater: true });
    assert.deepEqual([...table.differences(Number.NaN)], []);
  });

  it('finds a resource that was modified in the time of the changes, and has none', () => {
    const table = new ResourceTable();
    table.list(uriOf(1), { ...listed(), modified: 5e6 });
    assert.deepEqual([...table.differences(4e6)], [{ kind: 'no-change', ...AT }]);
    assert.deepEqual([...table.differences(6e6)], []);
  });

  it('forgets some when there are more than fit, and says nothing wrong of the others', () => {
    const table = new ResourceTable(1024);
    for (let number = 0; number < 20_000; number++) table.list(uriOf(number), listed(hashOf(number)));
    for (let number = 0; number < 20_000; number++) table.change(uriOf(number), changed(hashOf(number)));
    assert.ok(table.share >= 16);
    assert.deepEqual([...table.differences(Number.NaN)], []);
    assert.ok(table.knows(uriOf(20_001)) || table.share > 1);
  });
});
