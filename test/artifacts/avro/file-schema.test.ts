import assert from 'node:assert/strict';
import { SCHEMA_IDS, SCHEMAS, type SchemaId, schemaText } from '../../../src/artifacts/avro/avro-schemas.ts';
import { readHeader } from '../../../src/artifacts/avro/container-reader.ts';
import { chunks, decodeFile, encodeFile, rawBlock, rawFile, text } from '../../support/avro-files.ts';

const INDEX_3 = 'MAP.3_1.IndexRecord.v1';
const INDEX_4 = 'MAP.4_0.IndexRecord.v1';
const FIELDS = SCHEMAS[INDEX_3].fields;
const RECORD = Buffer.concat([text('id'), text('{}')]);

/** The schema that a reader finds in the header of a file. */
async function found(schema: object, rest: Readonly<Record<string, string>> = {}): Promise<SchemaId> {
  const file = rawFile({ 'avro.schema': JSON.stringify(schema), 'avro.codec': 'null', ...rest }, rawBlock(1, RECORD));
  return (await readHeader(chunks(file), { name: 'records.avro' })).schema;
}

function refused(schema: object, message: RegExp, rest: Readonly<Record<string, string>> = {}): Promise<void> {
  return assert.rejects(found(schema, rest), (error: Error & { code?: string }) => {
    assert.equal(error.code, 'invalid');
    assert.match(error.message, message);
    return true;
  });
}

describe('the schema of a file', () => {
  it('A17: is not taken for the other IndexRecord, and both are named', async () => {
    const pairs = [
      [INDEX_3, INDEX_4],
      [INDEX_4, INDEX_3],
    ] as const;
    for (const [written, asked] of pairs) {
      const file = await encodeFile(written, [{ id: 'a', document: '{}' }]);
      assert.equal((await decodeFile(written, file)).length, 1);
      await assert.rejects(decodeFile(asked, file), {
        code: 'invalid',
        message: `records.avro: its schema is la.dp.avro.${written}, and la.dp.avro.${asked} was asked for`,
      });
    }
  });

  it('A17: is recognized by the literal namespace alone, without schema.name', async () => {
    for (const id of SCHEMA_IDS) assert.equal(await found(SCHEMAS[id]), id);
    const file = rawFile({ 'avro.schema': schemaText(INDEX_4) }, rawBlock(1, RECORD));
    assert.equal((await decodeFile(INDEX_4, file)).length, 1);
    await assert.rejects(decodeFile(INDEX_3, file), /was asked for$/);
  });

  it('A17: is refused when a parser has dropped the namespace, and two schemas have the name that is left', async () => {
    const bare = { type: 'record', name: 'IndexRecord.v1', fields: FIELDS };
    const split = { type: 'record', name: 'v1', namespace: 'IndexRecord', fields: FIELDS };
    for (const schema of [bare, split]) {
      await refused(
        schema,
        /its schema is IndexRecord\.v1, which may be la\.dp\.avro\.MAP\.3_1\.IndexRecord\.v1 or la\.dp\.avro\.MAP\.4_0\.IndexRecord\.v1/,
      );
      assert.equal(await found(schema, { 'schema.name': `la.dp.avro.${INDEX_4}` }), INDEX_4);
      assert.equal(await found(schema, { 'schema.name': `la.dp.avro.${INDEX_3}` }), INDEX_3);
    }
  });

  it('A17: is the one that is asked for when a parser has dropped the namespace, and it has the name that is left', async () => {
    const file = rawFile(
      { 'avro.schema': JSON.stringify({ type: 'record', name: 'IndexRecord.v1', fields: FIELDS }) },
      rawBlock(1, RECORD),
    );
    for (const id of [INDEX_3, INDEX_4] as const) assert.equal((await decodeFile(id, file)).length, 1);
    await assert.rejects(decodeFile('MAP.4_0.MAPRecord.v1', file), /its schema is IndexRecord\.v1, which may be/);
  });

  it('is found when a parser has dropped the namespace, and only one schema has the name that is left', async () => {
    const map = { type: 'record', name: 'MAPRecord.v1', fields: FIELDS };
    assert.equal(await found(map), 'MAP.4_0.MAPRecord.v1');
    assert.equal(await found({ ...map, name: 'v1', namespace: 'MAPRecord' }), 'MAP.4_0.MAPRecord.v1');
    const original = { ...SCHEMAS['OriginalRecord.v1'], namespace: undefined };
    assert.equal(await found(original), 'OriginalRecord.v1');
  });

  it('is found by its full name, at whatever dot that is split', async () => {
    const parts = `la.dp.avro.${INDEX_3}`.split('.');
    for (let at = 0; at < parts.length; at++) {
      const namespace = at === 0 ? undefined : parts.slice(0, at).join('.');
      const schema = { type: 'record', name: parts.slice(at).join('.'), namespace, fields: FIELDS };
      assert.equal(await found(schema), INDEX_3);
    }
    const both = { type: 'record', name: `la.dp.avro.${INDEX_3}`, namespace: 'la.dp.avro.MAP.3_1', fields: FIELDS };
    assert.equal(await found(both), INDEX_3);
  });

  it('may have hints for a language, notes, and other names of enums', async () => {
    const fields = FIELDS.map(({ name }) => ({
      name,
      doc: 'a',
      type: { type: 'string', 'avro.java.string': 'String' },
    }));
    assert.equal(await found({ ...SCHEMAS[INDEX_3], fields }), INDEX_3);
    const text = schemaText('OriginalRecord.v1').replace('"name":"MimeType"', '"name":"MimeType","namespace":"la"');
    assert.equal(await found(JSON.parse(text)), 'OriginalRecord.v1');
  });

  it('is refused when it is none of ours, and named', async () => {
    await refused(
      { type: 'record', name: 'topLevelRecord', fields: FIELDS },
      /its schema is topLevelRecord, which is none of/,
    );
    await refused(
      { type: 'record', name: 'IndexRecord.v1', namespace: 'org.example', fields: FIELDS },
      /org\.example\./,
    );
    await refused(
      { type: 'record', name: 'IndexRecord.v2', namespace: 'la.dp.avro.MAP.4_0', fields: FIELDS },
      /none of/,
    );
    await refused({ type: 'record', name: 'dexRecord.v1', fields: FIELDS }, /none of/);
    await refused({ type: 'record', name: 'v1', fields: FIELDS }, /may be/);
  });

  it('is refused when it has other fields than the schema of its name', async () => {
    const [id, document] = FIELDS;
    const wrong = [
      [document, id],
      [id],
      [id, document, { name: 'more', type: 'string' }],
      [id, { name: 'text', type: 'string' }],
      [id, { name: 'document', type: 'bytes' }],
      [id, { name: 'document', type: ['null', 'string'] }],
      [id, null],
      [id, 'document'],
      'fields',
    ];
    for (const fields of wrong)
      await refused({ ...SCHEMAS[INDEX_3], fields }, /has other fields than la\.dp\.avro\.MAP\.3_1/);
    const symbols = schemaText('OriginalRecord.v1').replace(
      '["application_json","application_xml"',
      '["application_xml","application_json"',
    );
    await refused(JSON.parse(symbols), /has other fields/);
  });

  it('is refused when schema.name names another one', async () => {
    await refused(
      SCHEMAS[INDEX_3],
      /it names its schema la\.dp\.avro\.MAP\.4_0\.IndexRecord\.v1, but the schema in it is la\.dp/,
      {
        'schema.name': `la.dp.avro.${INDEX_4}`,
      },
    );
    await refused(SCHEMAS[INDEX_3], /which is none of ours/, { 'schema.name': 'la.dp.avro.Nonsense.v1' });
  });

  it('is refused when its types are nested as deep as a header can hold', async () => {
    const deep = '{"type":'.repeat(100_000);
    const schema = `{"type":"record","name":"MAPRecord.v1","fields":${deep}"string"${'}'.repeat(100_000)}}`;
    const file = rawFile({ 'avro.schema': schema });
    await assert.rejects(readHeader(chunks(file), { name: 'records.avro' }), { code: 'invalid' });
  });
});
