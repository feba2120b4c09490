import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { LogChange } from '../../../src/artifacts/avro/avro-schemas.ts';
import { digestOf, RecordDigest, toLogPositions } from '../../../src/backup/catalog-documents.ts';
import { ChangeDigest, toLogChange } from '../../../src/backup/change-rows.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('the records of an archive', () => {
  const change = { set: 1, key: '/a', kind: 'created', stamp: 1_000, window: 2, weight: 30 } as const;
  const created: LogChange = { ...change, state: '{"length":1}', order: null };
  const deleted: LogChange = { ...change, kind: 'deleted', stamp: 1_002, state: null, order: 7 };
  const digest = (...batches: readonly (readonly LogChange[])[]): string => {
    const made = new ChangeDigest();
    for (const batch of batches) made.add(batch);
    return made.value;
  };

  it('hold all of a change', () => {
    assert.deepEqual(toLogChange({ ...change, state: { length: 1 } }), created);
    assert.deepEqual(toLogChange({ ...change, kind: 'deleted', stamp: 1_002, state: undefined, order: 7 }), deleted);
  });

  it('have a digest of what changes say, however they are cut into batches', () => {
    const text = '1 1000 2 30 created /a\n{"length":1}\n1 1002 2 30 deleted /a\n\n7\n';
    assert.equal(digest([created, deleted]), sha256(text));
    assert.equal(digest([created], [], [deleted]), sha256(text));
    assert.equal(digest(), sha256(''));
  });

  it('have a digest that can be read in between', () => {
    const made = new ChangeDigest();
    made.add([created]);
    assert.equal(made.value, digest([created]));
    made.add([deleted]);
    assert.equal(made.value, digest([created, deleted]));
  });

  it('have a digest of documents and positions in their order', () => {
    const [a, b] = [{ kind: 'set', id: '1' }, { id: 'é' }];
    assert.equal(digestOf([a, b]), sha256('{"kind":"set","id":"1"}\n{"id":"é"}\n'));
    const made = new RecordDigest();
    made.add([a]);
    assert.equal(made.value, digestOf([a]));
    made.add([b]);
    assert.equal(made.value, digestOf([a, b]));
  });

  it('have positions ascending by set and source, and nothing but positions', () => {
    const of = (set: number, source: string) => ({ set, source, position: 7 });
    const positions = [of(10, 'a'), of(2, 'b'), of(2, 'a'), of(2, 'c'), of(1, 'z')];
    assert.deepEqual(toLogPositions(positions.map((each) => ({ ...each, more: true }))), [
      of(1, 'z'),
      of(2, 'a'),
      of(2, 'b'),
      of(2, 'c'),
      of(10, 'a'),
    ]);
  });
});
