import assert from 'node:assert/strict';
import fc from 'fast-check';
import { buildRecord } from '../../../../../src/records/forms/marc/build-record.ts';
import { UnusableRecord } from '../../../../../src/records/forms/marc/faults/unusable-record.ts';
import type { MarcField, MarcRecord } from '../../../../../src/records/forms/marc/marc-record.ts';
import type { PodNormalization } from '../../../../../src/records/forms/marc/normalize/normalization.ts';
import { normalizeRecord } from '../../../../../src/records/forms/marc/normalize/normalize-record.ts';
import { readMarc21 } from '../../../../../src/records/forms/marc/read-marc21.ts';
import { readFile } from '../../../../../src/records/forms/read-file.ts';
import { sampleRecords } from '../../../../support/marc-records.ts';
import { contentOf, isRecord, readAll } from '../../../../support/read-marc.ts';
import { given } from '../../../../support/upload-packages.ts';

const LEADER = '00000nam a2200000 a 4500';
const id: MarcField = { tag: '001', value: 'rec1' };
const data = (tag: string, ...subfields: readonly (readonly [string, string])[]): MarcField => ({
  tag,
  indicators: '  ',
  subfields: subfields.map(([code, value]) => ({ code, value })),
});
const POD: PodNormalization = {
  kind: 'pod',
  code: 'CSt',
  items: [{ source: '952', destination: '998', subfields: { m: 'b', i: 'p', a: 'o' } }],
};
const added = (record: MarcRecord, normalization: PodNormalization): readonly MarcField[] =>
  [...normalizeRecord(record, normalization).fields()].slice([...record.fields()].length);

describe('Normalization of a record', () => {
  it('leaves it as it is when the organization has none', async () => {
    const { bytes } = buildRecord(LEADER, [id]);
    const file = { path: ['given'], packing: [], kind: 'marc21', bytes: given(bytes).read() as AsyncIterable<Buffer> };
    const read = [];
    for await (const batch of readFile(file)) read.push(...batch);
    assert.deepEqual(
      read.map((item) => item.kind === 'record' && item.record.bytes),
      [bytes],
    );
  });

  it('adds who delivered it, and each item, as POD does', () => {
    const items = [
      data('952', ['p', '3610'], ['b', 'GREEN'], ['o', 'QA76 .Ω'], ['p', 'second']),
      data('999', ['p', 'of another field']),
      data('952', ['o', ' \u3000 '], ['p', ''], ['b', '<&> 日本']),
      data('952'),
    ];
    assert.deepEqual(added(buildRecord(LEADER, [id, ...items]), POD), [
      data('900', ['5', 'POD'], ['b', 'CSt']),
      data('998', ['5', 'POD'], ['8', '952.0\\p'], ['a', 'QA76 .Ω'], ['i', '3610'], ['m', 'GREEN']),
      data('998', ['5', 'POD'], ['8', '952.1\\p'], ['m', '<&> 日本']),
      data('998', ['5', 'POD'], ['8', '952.2\\p']),
    ]);
  });

  it('adds items of several fields, each with its own number, and no code when there is none', () => {
    const items = [
      { source: '999', destination: '998', subfields: { i: 'i' } },
      { source: '852', destination: '949', subfields: { a: 'h' } },
    ];
    const record = buildRecord(LEADER, [id, data('852', ['h', 'shelf']), data('999', ['i', '1']), data('999')]);
    assert.deepEqual(added(record, { kind: 'pod', items }), [
      data('900', ['5', 'POD']),
      data('998', ['5', 'POD'], ['8', '999.0\\p'], ['i', '1']),
      data('998', ['5', 'POD'], ['8', '999.1\\p']),
      data('949', ['5', 'POD'], ['8', '852.0\\p'], ['a', 'shelf']),
    ]);
  });

  it('has the same bytes as a record that was built with these fields, above 99,999 bytes, too @long', () => {
    const items = Array.from({ length: 10 }, (_, at) => data('952', ['p', `item ${at}`]));
    // Lengths around the one at which the added fields make a second part necessary.
    const lengths = fc.oneof(fc.integer({ min: 97_000, max: 100_500 }), fc.integer({ min: 0, max: 250_000 }));
    fc.assert(
      fc.property(fc.integer(), lengths, (seed, length) => {
        const [sample] = sampleRecords({ seed, count: 1 });
        const notes = Array.from({ length: length / 5_000 }, () => data('500', ['a', 'ä'.repeat(2_490)]));
        const note = data('501', ['a', 'x'.repeat(length % 5_000)]);
        const record = buildRecord(LEADER, [...sample!.fields, ...notes, note, ...items]);
        const normalized = normalizeRecord(record, POD);
        const expected = buildRecord(LEADER, [...record.fields(), ...added(record, POD)]);
        assert.ok(normalized.bytes.equals(expected.bytes));
        const count = [...record.fields()].filter(({ tag }) => tag === '952').length;
        assert.equal([...normalized.fields()].length, [...record.fields()].length + 1 + count);
      }),
      { numRuns: 150 },
    );
  });

  it('makes records that are read again as they are', async () => {
    const samples = [...sampleRecords({ seed: 3, count: 60, large: 0.05 })];
    const items = { source: '952', destination: '998', subfields: { i: 'a', a: '9' } };
    const records = samples.map(({ leader, fields }) => {
      return normalizeRecord(buildRecord(leader, [...fields, data('952', ['a', 'ö'])]), { ...POD, items: [items] });
    });
    const read = await readAll(readMarc21, Buffer.concat(records.map(({ bytes }) => bytes)));
    assert.deepEqual(
      read.map((one) => (isRecord(one) ? contentOf(one).fields : one)),
      records.map((record) => [...record.fields()]),
    );
  });

  it('says when a field would be too long', () => {
    const record = buildRecord(LEADER, [id, data('952', ['p', 'x'.repeat(6_000)])]);
    const items = [{ source: '952', destination: '998', subfields: { i: 'p', a: 'p' } }];
    const isTooLong = (error: unknown) =>
      error instanceof UnusableRecord &&
      /^the field 998 that its normalization adds would have 120\d\d bytes: .* at most 9,998$/.test(error.message);
    assert.throws(() => normalizeRecord(record, { ...POD, items }), isTooLong);
  });
});
