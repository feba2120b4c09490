import assert from 'node:assert/strict';
import fc from 'fast-check';
import { BlockRecords } from '../../../src/records/digests/block-records.ts';
import { RecordWalk, type Walkable } from '../../../src/records/digests/walk-records.ts';

const TEXT = fc.string({ maxLength: 63, unit: 'grapheme-ascii' });

describe('the records of a block', () => {
  it('are the same by position, in any order, as one after the other', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ id: TEXT, document: TEXT }), { maxLength: 20 }),
        fc.array(fc.nat(25)),
        (records, positions) => {
          const block = blockOf(records);
          const byPosition = new BlockRecords(block);
          const walk = new RecordWalk(block);
          const walked = records.map(() => walk.next());
          for (const position of positions) assert.deepEqual(byPosition.at(position), walked[position]);
        },
      ),
    );
  });

  it('have the media type of RDF by how they begin, also after a byte order mark', () => {
    const types = {
      '{"@id": "x"}': 'application/ld+json',
      '[{"@id": "x"}]': 'application/ld+json',
      '<rdf:RDF xmlns:rdf="r"/>': 'application/rdf+xml',
      '<RDF xmlns="r"/>': 'application/rdf+xml',
      '<?xml version="1.0"?><RDF/>': 'application/rdf+xml',
      '<RDF> a <Type> .': 'text/turtle',
      '<http://example.org/> a <x> .': 'text/turtle',
      '@prefix a: <x> .': 'text/turtle',
    };
    for (const [document, type] of Object.entries(types)) {
      for (const before of ['', '\ufeff', ' \n', '\ufeff\n ']) {
        const walk = new RecordWalk(blockOf([{ id: '1', document: before + document }]));
        assert.equal(walk.next()?.mime, type, JSON.stringify(before + document));
      }
    }
  });
});

/** A text of fewer than 64 bytes is one byte, twice its length, and its bytes. */
function blockOf(records: readonly { readonly id: string; readonly document: string }[]): Walkable {
  const text = (value: string) => Buffer.concat([Buffer.of(value.length * 2), Buffer.from(value)]);
  const data = Buffer.concat(records.flatMap(({ id, document }) => [text(id), text(document)]));
  return {
    header: {
      name: 'records.avro',
      schema: 'MAP.4_0.MAPRecord.v1',
      codec: 'null',
      sync: Buffer.alloc(16),
      documentType: '',
    },
    place: { offset: 0, length: data.length, records: records.length },
    data,
  };
}
