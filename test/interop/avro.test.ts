import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { type RecordOf, SCHEMA_IDS, type SchemaId, schemaText } from '../../src/artifacts/avro/avro-schemas.ts';
import { CODECS, type Codec } from '../../src/artifacts/avro/codecs.ts';
import { readContainer } from '../../src/artifacts/avro/container-reader.ts';
import { encodeContainer } from '../../src/artifacts/avro/container-writer.ts';
import { symbolOf } from '../../src/artifacts/avro/mimetypes.ts';
import { all, batches, originalRecords } from '../support/avro-files.ts';
import { itWithAvroTools, itWithFastavro, runAvroTools, runFastavro } from '../support/avro-programs.ts';
import { jsonLines } from '../support/json-lines.ts';
import { useTempFolder } from '../support/temp-folder.ts';

const MANY = 100_000;

const OTHERS: { readonly [Id in Exclude<SchemaId, 'OriginalRecord.v1'>]: readonly RecordOf[Id][] } = {
  'MAP.3_1.IndexRecord.v1': [{ id: 'a', document: '{"id": "a", "title": "\\u00fc\u2028"}' }],
  'MAP.4_0.MAPRecord.v1': [{ id: 'ä', document: '<http://example.org/ä> a edm:Agent .\r\n' }],
  'MAP.4_0.IndexRecord.v1': [{ id: '\u{1f5fa}', document: '' }],
  'DeletedRecord.v1': [{ id: 'a', provider: 'cdl', deleted: Date.parse('2017-02-09T10:44:28.123Z') }],
  'stream.Record.v1': [
    { id: 'ocm001', document: '00026ngm a2200025   4500\u001e\u001d' },
    { id: 'ä', document: '' },
  ],
  'log.Change.v1': [
    { set: 1, key: '/a', kind: 'created', stamp: 1_700_000_000_123_456, window: 1, weight: 1, state: '{}' },
    { set: 2 ** 40, key: '/a', kind: 'deleted', stamp: 1_700_000_000_123_458, window: 1, weight: 1, state: null },
  ],
  'log.Change.v2': [
    {
      set: 1,
      key: '/a',
      kind: 'created',
      stamp: 1_700_000_000_123_456,
      window: 1,
      weight: 1,
      state: '{}',
      order: 2 ** 40,
    },
    {
      set: 1,
      key: '/a',
      kind: 'deleted',
      stamp: 1_700_000_000_123_458,
      window: 1,
      weight: 1,
      state: null,
      order: null,
    },
  ],
  'log.Order.v1': [{ set: 1, key: '/a', order: 7, stamp: 1_700_000_000_123_456 }],
  'log.CatalogDocument.v1': [{ kind: 'set', id: 'a', body: '{"a":"\\n"}' }],
  'log.Position.v1': [{ set: 1, source: 'a', position: 7 }],
};

/** One file of each schema with each codec; that of the OriginalRecords with deflate is the large one. */
interface Sample<Id extends SchemaId = SchemaId> {
  readonly schema: Id;
  readonly codec: Codec;
  readonly records: readonly RecordOf[Id][];
}

const SAMPLES: readonly Sample[] = SCHEMA_IDS.flatMap((schema) =>
  CODECS.map((codec) => ({ schema, codec, records: recordsOf(schema, codec) })),
);

function recordsOf(schema: SchemaId, codec: Codec): readonly RecordOf[SchemaId][] {
  if (schema !== 'OriginalRecord.v1') return OTHERS[schema];
  return codec === 'deflate' ? originalRecords(MANY) : originalRecords(1_000);
}

/** As other programs see it. */
function symbolic(record: RecordOf[SchemaId]): object {
  return 'mimetype' in record ? { ...record, mimetype: symbolOf(record.mimetype) } : record;
}

function asLines(values: readonly object[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}

/** In the JSON of Avro, a value of a union has its type. */
function asAvroJson(record: RecordOf[SchemaId]): object {
  const state = 'state' in record && record.state !== null ? { state: { string: record.state } } : {};
  const order = 'order' in record && 'kind' in record && record.order !== null ? { order: { long: record.order } } : {};
  return { ...symbolic(record), ...state, ...order };
}

function nextCodec(codec: Codec): Codec {
  return CODECS[(CODECS.indexOf(codec) + 1) % CODECS.length]!;
}

describe('other programs of Avro', () => {
  const folder = useTempFolder();
  const fileOf = ({ schema, codec }: Sample, by: string) => folder.at(`${by}-${schema}-${codec}.avro`);
  const linesOf = ({ schema, codec }: Sample) => folder.at(`${schema}-${codec}.ndjson`);

  async function writeSamples(): Promise<void> {
    for (const sample of SAMPLES) {
      const { schema, codec, records } = sample;
      const bytes = encodeContainer({ schema, codec, records: batches(records), doc: 'A note: "ü"' });
      await pipeline(bytes, createWriteStream(fileOf(sample, 'ours')));
    }
  }

  async function assertRead(file: string, { schema, records }: Sample): Promise<void> {
    const blocks = await all(readContainer(createReadStream(file), { schema, name: file }));
    const read = blocks.flatMap((block) => block.records);
    assert.equal(read.length, records.length);
    // Texts are compared many times faster than objects.
    assert.ok(asLines(read) === asLines(records), `${file} has other records`);
  }

  itWithFastavro(
    'fastavro reads what we write, and we read what it writes: every schema, every codec, 100,000 records',
    async () => {
      await writeSamples();
      for (const sample of SAMPLES) await writeFile(linesOf(sample), asLines(sample.records.map(symbolic)));
      const findings = await runFastavro({
        write: SAMPLES.map((sample) => ({
          file: fileOf(sample, 'theirs'),
          schema: schemaText(sample.schema, 'A note'),
          codec: sample.codec,
          lines: linesOf(sample),
        })),
        read: SAMPLES.map((sample) => fileOf(sample, 'ours')),
      });
      for (const sample of SAMPLES) {
        const sha256 = createHash('sha256')
          .update(readFileSync(linesOf(sample)))
          .digest('hex');
        const ours = fileOf(sample, 'ours');
        assert.deepEqual(findings[ours], { count: sample.records.length, sha256 }, ours);
        await assertRead(fileOf(sample, 'theirs'), sample);
      }
    },
  );

  itWithAvroTools(
    'avro-tools read what we write, and we read what they write: every schema, every codec, 100,000 records',
    async () => {
      await writeSamples();
      const schemas = SCHEMA_IDS.map((schema) => ({ schema, file: folder.at(`${schema}.avsc`) }));
      for (const { schema, file } of schemas) await writeFile(file, schemaText(schema));
      await runAvroTools(
        SAMPLES.flatMap((sample) => {
          const ours = fileOf(sample, 'ours');
          const schema = schemas.find((one) => one.schema === sample.schema)!.file;
          return [
            { output: linesOf(sample), command: ['tojson', ours] },
            {
              output: fileOf(sample, 'json'),
              command: ['fromjson', '--codec', sample.codec, '--schema-file', schema, linesOf(sample)],
            },
            {
              output: '/dev/null',
              command: ['recodec', '--codec', nextCodec(sample.codec), ours, fileOf(sample, 'recoded')],
            },
          ];
        }),
        folder.path,
      );
      for (const sample of SAMPLES) {
        // They write some characters as escapes.
        const lines = jsonLines(await readFile(linesOf(sample), 'utf8'));
        assert.ok(asLines(lines) === asLines(sample.records.map(asAvroJson)), `${linesOf(sample)} has other records`);
        // They keep the metadata of a file that they pack anew, so that its schema is known.
        await assertRead(fileOf(sample, 'recoded'), sample);
        // They drop the namespace: the two IndexRecords differ only by the schema that is asked for.
        await assertRead(fileOf(sample, 'json'), sample);
        if (sample.schema.includes('IndexRecord')) {
          const unnamed = all(readContainer(createReadStream(fileOf(sample, 'json')), { name: 'any' }));
          await assert.rejects(unnamed, /its schema is IndexRecord\.v1, which may be/);
        }
      }
    },
  );
});
