import assert from 'node:assert/strict';
import { readMarc21 } from '../../../../../src/records/forms/marc/read-marc21.ts';
import type { ReadRecord } from '../../../../../src/records/forms/marc/read-record.ts';
import { encodeSample } from '../../../../support/marc-records.ts';
import { contentOf, isRecord, readAll } from '../../../../support/read-marc.ts';

/** A record with leader/09 blank, whose title has these bytes. */
function uncoded(title: string, id = 'id'): Buffer {
  const subfields = [{ code: 'a', value: title }];
  const fields = [
    { tag: '001', value: id },
    { tag: '245', indicators: '10', subfields },
  ];
  return encodeSample({ leader: '00000nam  2200000 a 4500', fields }, ' ');
}

async function read(bytes: Buffer): Promise<ReadRecord> {
  const [first, ...others] = await readAll(readMarc21, bytes);
  assert.deepEqual(others, []);
  return first!;
}

async function titleIn(bytes: Buffer): Promise<string> {
  const record = await read(bytes);
  assert.ok(isRecord(record), JSON.stringify(record));
  assert.equal(record.record.leader[9], 'a');
  const [, title] = contentOf(record).fields;
  return 'value' in title! ? title.value : title!.subfields[0]!.value;
}

const utf8 = (text: string): string => Buffer.from(text).toString('latin1');

describe('A record that is not said to be UTF-8', () => {
  const TEXTS: readonly (readonly [string, string, string])[] = [
    ['ASCII', 'Title', 'Title'],
    ['UTF-8 all the same', utf8('Žluťoučký kůň 日本'), 'Žluťoučký kůň 日本'],
    ['a mark before its letter', 'Gen\xe2eve', 'Genéve'],
    ['a mark without a letter behind it', 'cafe\xe2', 'cafe'],
    ['a mark alone', '\xe2', ''],
    ['two marks before a letter', 'Vi\xf2\xe3et', 'Việt'],
    ['a mark over two letters', '\xebi\xeca', 'i\u0361a'],
    ['letters of extended Latin', '\xa1\xb2d\xc7 \xc3', 'Łødß ©'],
    ['signs of sorting and joining', '\x88The \x89title\x8d\x8e', '\u0098The \u009ctitle\u200d\u200c'],
    ['Cyrillic in the lower half', '\x1b(NWOJNA\x1b(B i', 'война i'],
    ['Cyrillic in the upper half', '\x1b)N\xd7\xcf\xca\xce\xc1 i', 'война i'],
    ['Greek with an accent, and symbols', '\x1b(S\x22a\x1b(B \x1bgabc\x1bs \x1bb2\x1bs\x1bp2\x1bs', 'ά αβγ ₂²'],
    ['Hebrew, from right to left', '\x1b(2ylem\x1b(B', '\u05e9\u05dc\u05d5\u05dd'],
    ['Arabic, with a vowel before its letter', '\x1b(3nG\x1b(B', '\u0627\u064e'],
    ['East Asian characters in the lower half', '\x1b$1!0! !0"\x1b(B i', '一 丁 i'],
    ['East Asian characters in the upper half', '\x1b$)1\xa1\xb0\xa1 \x1b)!E\xb2', '一 ø'],
    ['references to other characters', 'caf\xe2e &#x0E01;&#x1f600;!', 'café \u0e01\u{1f600}!'],
    ['a mark before a reference', '&#x03C1;\xe2&#x03B1;', '\u03c1\u03ac'],
    ['references alone', '&#x0E01;', '\u0e01'],
    ['references to what XML has not', '\xe2e &#x001F;&#xD800;&#x110000;', 'é &#x001F;&#xD800;&#x110000;'],
    ['what is not a reference of MARC-8', '\xe2e &#xE9; &#233; &#x03B1 &#x;', 'é &#xE9; &#233; &#x03B1 &#x;'],
    ['a mark before a reference that stays', 'a\xe2&#xD800;', 'a&#xD800;\u0301'],
  ];
  for (const [what, bytes, expected] of TEXTS) {
    it(`is read: ${what}`, async () => {
      assert.equal(await titleIn(uncoded(bytes)), expected.normalize('NFC'));
    });
  }

  it('has references as they are when it is UTF-8', async () => {
    assert.equal(await titleIn(uncoded(utf8('é &#x0E01;'))), 'é &#x0E01;');
  });

  it('begins each subfield with Latin again', async () => {
    const subfields = [
      { code: 'a', value: '\x1b(NWOJNA' },
      { code: 'b', value: 'WOJNA' },
    ];
    const title = { tag: '245', indicators: '10', subfields };
    const sample = { leader: '00000nam  2200000 a 4500', fields: [{ tag: '001', value: 'id' }, title] };
    const record = await read(encodeSample(sample, ' '));
    const [, field] = isRecord(record) ? contentOf(record).fields : [];
    assert.deepEqual(field, {
      ...title,
      subfields: [
        { code: 'a', value: 'война' },
        { code: 'b', value: 'WOJNA' },
      ],
    });
  });

  it('has no character sets of MARC-8 any more, neither in 066 nor in links', async () => {
    const linked = (link: string, code = '6') => ({
      tag: '880',
      indicators: '  ',
      subfields: [
        { code, value: link },
        { code: 'a', value: 'caf\xe2e' },
      ],
    });
    const links = ['245-01/(N', '245-02/(3/r', '245-03/$1', '245-04', '245-05/Cyrl', '245-06//r', 'a/(N', '245-07/(NX'];
    const sets = { tag: '066', indicators: '  ', subfields: [{ code: 'c', value: '(N' }] };
    const fields = [{ tag: '001', value: 'id' }, sets, ...links.map((link) => linked(link)), linked('245-08/(N', 'a')];
    const record = await read(encodeSample({ leader: '00000nam  2200000 a 4500', fields }, ' '));
    assert.ok(isRecord(record));
    assert.deepEqual(
      contentOf(record).fields.map((field) => ('value' in field ? field.value : field.subfields[0]!.value)),
      ['id', '245-01', '245-02//r', '245-03', '245-04', '245-05/Cyrl', '245-06//r', 'a/(N', '245-07/(NX', '245-08/(N'],
    );
  });

  it('has its id in UTF-8, too', async () => {
    const record = await read(uncoded('\xe2e', ' \xb2\xe2e '));
    assert.equal(record.id, 'øé');
  });

  it('is an erratum without an id when its 001 is empty in UTF-8', async () => {
    const erratum = await read(uncoded('Title', '\x1b(B'));
    assert.match(erratum.kind === 'erratum' ? erratum.reason : '', /field 001 is empty/);
    assert.equal(erratum.id, undefined);
  });

  it('is an erratum when its id has a line break', async () => {
    const erratum = await read(uncoded('caf\xe2e', '\xb2\n2'));
    assert.match(erratum.kind === 'erratum' ? erratum.reason : '', /an id has no control characters: "ø\\n2"/);
  });

  const FAULTS: readonly (readonly [string, string, RegExp])[] = [
    [
      'a code of East Asian characters that is none',
      '\x1b$1!!!\x1b(B',
      /^field 245 \$a has the bytes 21 21 21, which MARC-8 does not have in East Asian characters \(EACC\)/,
    ],
    ['half an East Asian character', '\x1b$1!0', /has the bytes 21 30, which/],
    ['a set that MARC-8 has not', '\x1b(Xabc', /switches to a character set that MARC-8 does not have \(1B 28 58 61\)/],
    ['half an escape sequence', 'abc\x1b', /switches to a character set that MARC-8 does not have \(1B/],
    ['a code that a set has not', 'caf\xaf', /has the byte AF, which MARC-8 does not have in extended Latin \(ANSEL\)/],
    ['a control code', 'caf\x92', /has the byte 92, which/],
    ['a code of Hebrew that is none', '\x1b(2P', /has the byte 50, which MARC-8 does not have in Hebrew/],
  ];
  for (const [what, bytes, reason] of FAULTS) {
    it(`is an erratum, with its id: ${what}`, async () => {
      const erratum = await read(uncoded(bytes));
      assert.equal(erratum.id, 'id');
      assert.match(erratum.kind === 'erratum' ? erratum.reason : '', reason);
    });
  }

  it('is an erratum when a field would be too long in UTF-8', async () => {
    const erratum = await read(uncoded('\xb1'.repeat(9_000)));
    assert.match(erratum.kind === 'erratum' ? erratum.reason : '', /field 245 has 18004 bytes of UTF-8/);
  });
});
