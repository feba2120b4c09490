import assert from 'node:assert/strict';
import fc from 'fast-check';
import { buildRecord } from '../../../../../src/records/forms/marc/build-record.ts';
import type { MarcField, MarcRecord } from '../../../../../src/records/forms/marc/marc-record.ts';
import { MarcXmlFile } from '../../../../../src/records/forms/marc/marcxml-file.ts';
import { MARCXML_END, MARCXML_START, mostBytesOf } from '../../../../../src/records/forms/marc/marcxml-markup.ts';
import { readMarcXml } from '../../../../../src/records/forms/marc/read-marcxml.ts';
import { MarcXmlWriter, writeMarcXml } from '../../../../../src/records/forms/marc/write-marcxml.ts';
import { sampleRecords } from '../../../../support/marc-records.ts';
import { contentOf, isRecord, readAll } from '../../../../support/read-marc.ts';

const id: MarcField = { tag: '001', value: 'rec1' };
/** Fields that grow most when they are written as MARCXML. */
const growing = fc.constantFrom<MarcField>(
  { tag: '500', indicators: '""', subfields: [] },
  { tag: '501', indicators: '&&', subfields: Array.from({ length: 40 }, () => ({ code: '"', value: '' })) },
  { tag: '502', indicators: '  ', subfields: [{ code: 'a', value: '\r&'.repeat(300) }] },
  { tag: '006', value: '' },
  { tag: '880', indicators: '<>', subfields: [{ code: '<', value: '"]]>𝒜é' }] },
);

describe('A writer of MARCXML', () => {
  it('has room for whatever a record becomes @long', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(growing, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 40 }),
        async (some, times) => {
          const fields = [id, ...Array.from({ length: times }, () => some).flat()];
          const record = buildRecord('00000n<& a2200000"& 4500', fields);
          const xml = Buffer.from(writeMarcXml(record));
          assert.ok(xml.length <= mostBytesOf(record.bytes), `${xml.length} of ${mostBytesOf(record.bytes)}`);
          const [read] = (await readAll(readMarcXml, xml)).filter(isRecord);
          assert.deepEqual(contentOf(read!).fields, [...record.fields()]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('escapes what XML gives a meaning, and writes a line for each field', () => {
    const fields: MarcField[] = [
      { tag: '001', value: 'a & "b"' },
      {
        tag: '245',
        indicators: '"<',
        subfields: [
          { code: '&', value: '<i>\r"é"</i>' },
          { code: 'b', value: '' },
        ],
      },
      { tag: '246', indicators: '  ', subfields: [] },
    ];
    assert.deepEqual(writeMarcXml(buildRecord('00000nam a2200000 a 4500', fields)).split('\n'), [
      '<record xmlns="http://www.loc.gov/MARC21/slim">',
      '<leader>00092nam a2200061 a 4500</leader>',
      '<controlfield tag="001">a &amp; "b"</controlfield>',
      '<datafield tag="245" ind1="&quot;" ind2="&lt;"><subfield code="&amp;">&lt;i&gt;&#13;"é"&lt;/i&gt;</subfield>' +
        '<subfield code="b"></subfield></datafield>',
      '<datafield tag="246" ind1=" " ind2=" "></datafield>',
      '</record>',
      '',
    ]);
  });

  it('declares the namespace once in a file, on the collection (136)', async () => {
    const records = ['a', 'b'].map((value) => buildRecord('00000nam a2200000 a 4500', [{ tag: '001', value }]));
    const chunks: string[] = [];
    const file = new MarcXmlFile((bytes) => chunks.push(bytes.toString()));
    for (const { bytes } of records) file.add(bytes);
    file.end();
    const xml = chunks.join('');
    assert.deepEqual(xml.match(/<(collection|record)[^>]*>/g), [
      '<collection xmlns="http://www.loc.gov/MARC21/slim">',
      '<record>',
      '<record>',
    ]);
    const read = await readAll(readMarcXml, Buffer.from(xml));
    assert.deepEqual(
      read.map((one) => isRecord(one) && contentOf(one).fields),
      records.map((record) => [...record.fields()]),
    );
  });

  it('writes many records as it writes each, and changes nothing that was taken @long', async () => {
    const samples = [...sampleRecords({ seed: 5, count: 400, large: 0.02 })];
    const records = samples.map(({ leader, fields }): MarcRecord => buildRecord(leader, fields));
    const writer = new MarcXmlWriter();
    const chunks: Buffer[] = [];
    for (const record of records) {
      writer.add(record);
      if (writer.size > 100_000) chunks.push(writer.take());
    }
    chunks.push(writer.take());
    assert.equal(writer.size, 0);
    const xml = Buffer.concat(chunks).toString();
    assert.equal(xml, records.map(writeMarcXml).join(''));

    const read = await readAll(readMarcXml, Buffer.from(`${MARCXML_START}${xml}${MARCXML_END}`));
    assert.deepEqual(
      read.map((one) => (isRecord(one) ? contentOf(one).fields : one)),
      samples.map(({ fields }) => fields),
    );
  });
});
