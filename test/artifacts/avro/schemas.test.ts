import assert from 'node:assert/strict';
import { SCHEMA_IDS, SCHEMAS, schemaText } from '../../../src/artifacts/avro/avro-schemas.ts';

const TWO_TEXTS = '"fields":[{"name":"id","type":"string"},{"name":"document","type":"string"}]';

describe('the schemas', () => {
  it('A06: has the IndexRecord of MAP 3.1 as the source writes it', () => {
    assert.equal(
      schemaText('MAP.3_1.IndexRecord.v1'),
      `{"namespace":"la.dp.avro.MAP.3_1","type":"record","name":"IndexRecord.v1",${TWO_TEXTS}}`,
    );
  });

  it('A08, A09: has the OriginalRecord as the source writes it, with its three symbols in order', () => {
    assert.equal(
      schemaText('OriginalRecord.v1'),
      '{"namespace":"la.dp.avro","type":"record","name":"OriginalRecord.v1","fields":[{"name":"id","type":"string"},{"name":"provider","type":"string"},{"name":"document","type":"string"},' +
        '{"name":"mimetype","type":{"name":"MimeType","type":"enum","symbols":["application_json","application_xml","text_turtle"]}}]}',
    );
  });

  it('A13, A14: has one MAPRecord, for mapped and for enriched records, as the source writes it', () => {
    assert.equal(
      schemaText('MAP.4_0.MAPRecord.v1'),
      `{"namespace":"la.dp.avro.MAP.4_0","type":"record","name":"MAPRecord.v1",${TWO_TEXTS}}`,
    );
    assert.equal(SCHEMA_IDS.filter((id) => id.includes('MAPRecord')).length, 1);
  });

  it('A15, A16: has the IndexRecord of MAP 4.0 as the source writes it', () => {
    assert.equal(
      schemaText('MAP.4_0.IndexRecord.v1'),
      `{"namespace":"la.dp.avro.MAP.4_0","type":"record","name":"IndexRecord.v1",${TWO_TEXTS}}`,
    );
  });

  it('has a companion for deleted records', () => {
    const { namespace, fields } = SCHEMAS['DeletedRecord.v1'];
    assert.equal(namespace, 'la.dp.avro');
    assert.deepEqual(
      fields.map(({ name }) => name),
      ['id', 'provider', 'deleted'],
    );
  });

  for (const id of SCHEMA_IDS) {
    it(`A01: takes a doc for ${id}, where the source has it, and needs none`, () => {
      const { doc, ...rest } = JSON.parse(schemaText(id, 'A "note"'));
      assert.equal(doc, 'A "note"');
      assert.deepEqual(rest, SCHEMAS[id]);
      assert.match(schemaText(id, 'A note'), /"name":"[^"]+","doc":"A note","fields":/);
      assert.equal('doc' in JSON.parse(schemaText(id)), false);
    });
  }

  it('is named by namespace and name, without what all have in common', () => {
    for (const id of SCHEMA_IDS) assert.equal(`${SCHEMAS[id].namespace}.${SCHEMAS[id].name}`, `la.dp.avro.${id}`);
  });
});
