import assert from 'node:assert/strict';
import type { LoggedChange } from '../../../src/stores/elasticsearch/commit-record.ts';
import { KnownKeys } from '../../../src/stores/elasticsearch/known-keys.ts';
import { resourceId, sortKeyOf } from '../../../src/stores/elasticsearch/resource-documents.ts';

describe('keys that are known of sets that began here', () => {
  const idOf = (set: number, number: number) => resourceId(sortKeyOf(set, `/records/${number}`));
  const changes = (set: number, count: number) =>
    Array.from({ length: count }, (_, number) => ({ set, id: idOf(set, number) }) as LoggedChange);

  it('contain every key that was added, and hardly any other', () => {
    const known = new KnownKeys();
    known.begin(1);
    known.add(changes(1, 20_000));
    const mistaken = Array.from({ length: 20_000 }, (_, number) => known.mayHold(1, idOf(1, 20_000 + number)));
    assert.ok(Array.from({ length: 20_000 }, (_, number) => known.mayHold(1, idOf(1, number))).every(Boolean));
    assert.ok(mistaken.filter(Boolean).length <= 3);
  });

  it('may be anything in a set that had changes before', () => {
    const known = new KnownKeys();
    known.begin(1);
    known.add(changes(2, 1));
    assert.equal(known.mayHold(2, idOf(2, 5)), true);
    assert.equal(known.mayHold(1, idOf(2, 0)), false);
  });

  it('are forgotten when there are too many: then any key may be there', () => {
    const known = new KnownKeys(100);
    known.begin(1);
    known.add(changes(1, 100));
    assert.equal(known.mayHold(1, idOf(1, 500)), false);
    known.add(changes(1, 101));
    assert.equal(known.mayHold(1, idOf(1, 500)), true);
  });
});
