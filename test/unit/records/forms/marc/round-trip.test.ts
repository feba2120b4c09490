import assert from 'node:assert/strict';
import fc from 'fast-check';
import { MARCXML_END, MARCXML_START } from '../../../../../src/records/forms/marc/marcxml-markup.ts';
import { readMarc21 } from '../../../../../src/records/forms/marc/read-marc21.ts';
import { readMarcXml } from '../../../../../src/records/forms/marc/read-marcxml.ts';
import type { GoodRecord } from '../../../../../src/records/forms/marc/read-record.ts';
import { writeMarcXml } from '../../../../../src/records/forms/marc/write-marcxml.ts';
import { encodeSample, encodeSampleXml, sampleRecords } from '../../../../support/marc-records.ts';
import { contentOf, isRecord, readAll, withoutLengths } from '../../../../support/read-marc.ts';

const RUNS = { numRuns: 15 };

describe('MARC21 and MARCXML', () => {
  it('reads from each format what was written into the other', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), fc.integer({ min: 1, max: 70_000 }), async (seed, chunkSize) => {
        const samples = [...sampleRecords({ seed, count: 12 })];
        const expected = samples.map(({ leader, fields }) => ({ leader: withoutLengths(leader), fields }));
        const marc21 = Buffer.concat(samples.map((sample) => encodeSample(sample)));

        const read = (await readAll(readMarc21, marc21, chunkSize)).filter(isRecord);
        assert.deepEqual(read.map(contentOf), expected);
        assert.deepEqual(Buffer.concat(read.map(({ record }) => record.bytes)), marc21);

        const fromXml = (await readAll(readMarcXml, xmlOf(read), chunkSize)).filter(isRecord);
        assert.deepEqual(fromXml.map(contentOf), expected);
        assert.deepEqual(Buffer.concat(fromXml.map(({ record }) => record.bytes)), marc21);
        assert.deepEqual(fromXml.map(summaryOf), read.map(summaryOf));
      }),
      RUNS,
    );
  });

  it('writes characters that XML gives a meaning', async () => {
    const fields = [
      { tag: '001', value: 'a & <b>' },
      { tag: '245', indicators: '<&', subfields: [{ code: '"', value: ' "]]>\r\n\t& ' }] },
      { tag: '246', indicators: '">', subfields: [{ code: '&', value: "'&amp;'" }] },
      { tag: '247', indicators: '  ', subfields: [] },
    ];
    const bytes = encodeSample({ leader: '00000n<&a2200000">a 4500', fields });
    const [read] = (await readAll(readMarc21, bytes)).filter(isRecord);
    const [back] = (await readAll(readMarcXml, Buffer.from(writeMarcXml(read!.record)))).filter(isRecord);
    assert.deepEqual(back!.record.bytes, bytes);
    assert.deepEqual(contentOf(back!).fields, fields);
  });

  it('splits a record above 99,999 bytes in MARC21, and joins its parts again @long', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const samples = [...sampleRecords({ seed, count: 4, large: 0.5 })];
        const xml = samples.map((sample) => encodeSampleXml(sample)).join('');
        const whole = (await readAll(readMarcXml, Buffer.from(`${MARCXML_START}${xml}${MARCXML_END}`))).filter(
          isRecord,
        );
        assert.deepEqual(
          whole.map((read) => contentOf(read).fields),
          samples.map(({ fields }) => fields),
        );

        const parts = Buffer.concat(whole.map(({ record }) => record.bytes));
        const joined = (await readAll(readMarc21, parts)).filter(isRecord);
        assert.deepEqual(joined.map(contentOf), whole.map(contentOf));
        assert.deepEqual(Buffer.concat(joined.map(({ record }) => record.bytes)), parts);
      }),
      RUNS,
    );
  });
});

const summaryOf = ({ ordinal, id, deleted }: GoodRecord) => ({ ordinal, id, deleted });

function xmlOf(records: readonly GoodRecord[]): Buffer {
  return Buffer.from(`${MARCXML_START}${records.map(({ record }) => writeMarcXml(record)).join('')}${MARCXML_END}`);
}
