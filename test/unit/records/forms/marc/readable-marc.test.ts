import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readFaultyMarc } from '../../../../../src/records/forms/marc/readable/faulty-marc.ts';
import { partsOfMarc8 } from '../../../../../src/records/forms/marc/readable/marc8-parts.ts';
import { readableMarc } from '../../../../../src/records/forms/marc/readable/readable-marc.ts';
import { fieldText, isFaulty } from '../../../../../src/records/readable/readable-record.ts';
import { partsOfUtf8 } from '../../../../../src/records/readable/text-parts.ts';
import { encodeSample, sampleRecords } from '../../../../support/marc-records.ts';
import { sampleVersion } from '../../../../support/sample-versions.ts';

const shown = (parts: ReturnType<typeof partsOfUtf8>) =>
  parts.map(({ text, mark }) => (mark === undefined ? text : `[${text}]`)).join('');

describe('MARC for people', () => {
  it('has a line for each field, with blanks where a place has a meaning', () => {
    assert.deepEqual(readableMarc(sampleVersion()).map(fieldText), [
      'LDR    *****cam#a22*****#a#4500',
      '001    a1',
      '008    850101s1985####ne#a#####b####000#0#heb##',
      '245 10 $6 880-01 $a Shirim ve-sipurim / $c Hayim <b>Bialik</b>.',
      '300 ## $a 212 pages ; 22 cm',
      '650 #0 $a Hebrew poetry.',
      '880 10 $6 245-01/(2/r $a שירים וסיפורים /  $c חיים נחמן ביאליק',
    ]);
  });

  it('names what fields are for, and links those of one text in two scripts', () => {
    const fields = readableMarc(sampleVersion());
    assert.equal(fields.find(({ tag }) => tag === '245')?.name, 'Title statement');
    assert.deepEqual(
      fields.flatMap(({ link }) => link ?? []),
      [
        { own: '245-01', other: '880-01' },
        { own: '880-01', other: '245-01' },
      ],
    );
  });

  it('marks bytes that are no text in UTF-8', () => {
    assert.equal(shown(partsOfUtf8(Buffer.from([0x61, 0xb9, 0xba, 0x62]))), 'a[\\xB9\\xBA]b');
    assert.equal(shown(partsOfUtf8(Buffer.from([0x61, 0x07, 0xe2, 0x82]))), 'a[\\x07\\xE2\\x82]');
    assert.equal(shown(partsOfUtf8(Buffer.from('a\ud83d\ude00e\u0301'))), 'a\ud83d\ude00e\u0301');
  });

  it('marks codes that no character set of MARC-8 has', () => {
    assert.equal(shown(partsOfMarc8(Buffer.from('caf\xe2e \xff na', 'latin1'))), 'café [\\xFF] na');
    const arabic = Buffer.from('a \x1b(3\x47\x76 b\xff', 'latin1');
    assert.match(shown(partsOfMarc8(arabic)), /^a ./);
  });

  it('reads a sound record as it is, also in MARC-8', () => {
    for (const record of sampleRecords({ seed: 47, count: 50, deleted: 0 })) {
      const { fields, length } = readFaultyMarc(encodeSample(record));
      assert.equal(length, encodeSample(record).length);
      assert.equal(fields.some(isFaulty), false);
      assert.equal(fields.length, record.fields.length + 1);
    }
  });

  it('accepts any bytes, and loses no field of a record with one that is wrong', () => {
    const sound = sampleVersion();
    fc.assert(
      fc.property(fc.nat(sound.length - 1), fc.nat(255), (at, byte) => {
        const bytes = Buffer.from(sound);
        bytes[at] = byte;
        const text = readFaultyMarc(bytes).fields.map(fieldText).join('\n');
        // A byte above the fields may cut the record off.
        if (at > 5 && byte !== 0x1d && (at < 12 || at > 17)) assert.match(text, /ebrew poetr|Hebrew p|y\./);
      }),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        readFaultyMarc(Buffer.from(bytes));
      }),
    );
  });
});
