import assert from 'node:assert/strict';
import { readMarc21 } from '../../../../../src/records/forms/marc/read-marc21.ts';
import type { ReadRecord } from '../../../../../src/records/forms/marc/read-record.ts';
import { encodeSample, type SampleRecord } from '../../../../support/marc-records.ts';
import { contentOf, isRecord, readAll } from '../../../../support/read-marc.ts';

const LEADER = '00000nam a2200000 a 4500';
const TITLE = { tag: '245', indicators: '10', subfields: [{ code: 'a', value: 'Žluťoučký kůň' }] };
const sample = (id: string): SampleRecord => ({ leader: LEADER, fields: [{ tag: '001', value: id }, TITLE] });
const GOOD = (id: string): Buffer => encodeSample(sample(id));

/** Bytes of a record whose fields are given as they are: each a tag and what follows it. */
function raw(...fields: readonly (string | Buffer)[]): Buffer {
  const texts = fields.map((field) => Buffer.from(field).subarray(3));
  const tags = fields.map((field) => Buffer.from(field).toString('latin1', 0, 3));
  const sizes = texts.map(({ length }, at) => ({ tag: tags[at]!, value: 'x'.repeat(length) }));
  const bytes = encodeSample({ leader: LEADER, fields: sizes });
  let at = Number(bytes.toString('latin1', 12, 17));
  for (const text of texts) at += text.copy(bytes, at) + 1;
  return bytes;
}

/** A copy with some bytes replaced. */
function changed(bytes: Buffer, at: number, text: string): Buffer {
  const copy = Buffer.from(bytes);
  copy.write(text, at, 'latin1');
  return copy;
}

const BASE = 49;
const record = GOOD('bad');

const FAULTS: readonly (readonly [string, Buffer, RegExp])[] = [
  ['no 001', raw('008x', '24510\x1faTitle'), /no field 001/],
  ['an empty 001', raw('001  ', '24510\x1faTitle'), /field 001 is empty/],
  ['no fields', raw(), /no field 001/],
  ['an id of two lines', raw('00112\n34', '24510\x1faTitle'), /an id has no control characters: "12\\n34"/],
  [
    'a directory without an end',
    changed(record, BASE - 1, 'x'),
    /the leader says "00049" in leader\/12-16.*does not end there/,
  ],
  ['a control character in the leader', changed(record, 6, '\x01'), /the leader has the byte 01 in leader\/06/],
  [
    'a tag with a sign',
    changed(record, 24, '0!1'),
    /^field 0!1 has a tag that is not three letters or digits \(number 1 in the list/,
  ],
  [
    'a length that is not a number',
    changed(record, 27, '00x4'),
    /^field 001 has "00x400000" as its length and place.*expected nine digits/,
  ],
  [
    'a field that ends behind the end',
    changed(record, 39, '0900'),
    /field 245 has a wrong length: .* 900 bytes, and the record ends before/,
  ],
  [
    'a field that ends too early',
    changed(record, 39, '0010'),
    /^field 245 has a wrong length: .* 10 bytes, and the field does not end there/,
  ],
  [
    'fields that overlap',
    changed(raw('001bad', '500  \x1faNote', '501a', '502b'), 48, '501000900004502000900004'),
    /begins within another field|begins with/,
  ],
  [
    'UTF-8 that is wrong',
    raw('001bad', Buffer.from('24510\x1facaf\xe9 x', 'latin1')),
    /^field 245 \$a has the byte E9, which is not UTF-8, although leader\/09 is "a"/,
  ],
  [
    'half a character',
    raw('001bad', Buffer.from('24510\x1fa\xed\xa0\x80', 'latin1')),
    /has the byte ED, which is not UTF-8/,
  ],
  ['a control character', raw('001bad', '24510\x1faA\x01B'), /^field 245 \$a has the control character 01/],
  [
    'a field terminator within a field',
    raw('001bad', '24510\x1faA\x1eB'),
    /^field 245 \$a has the separator of fields/,
  ],
  [
    'a record terminator within a field',
    raw('001bad', '24510\x1faA\x1dB'),
    /^field 245 \$a has the separator of records/,
  ],
  [
    'an escape sequence in UTF-8',
    raw('001bad', '24510\x1faA\x1b(NB'),
    /^field 245 \$a switches to another character set/,
  ],
  ['a character that XML cannot have', raw('001bad', '24510\x1faA\uffffB'), /^field 245 \$a has U\+FFFE or U\+FFFF/],
  [
    'text that is wrong beside an odd field',
    raw('001bad', '245\x1faTitle', '500  \x1faA\x01B'),
    /^field 500 \$a has the control character 01/,
  ],
  ['a subfield in a control field', raw('001bad', '008a\x1fb'), /^field 008 has a subfield/],
  ['no record terminator', record.subarray(0, -1), /breaks off after 77 bytes: its leader says 78/],
  ['an end in the middle of a field', record.subarray(0, 60), /breaks off after 60 bytes/],
  ['an end in the middle of the directory', record.subarray(0, 30), /do not begin with a leader/],
  [
    'text that is not a record',
    Buffer.from('<html>Not found</html>'),
    /22 bytes are not a record, since they do not begin with a leader/,
  ],
];

describe('Faults of MARC21', () => {
  for (const [what, bytes, reason] of FAULTS) {
    for (const chunkSize of [1, 7, 65_536]) {
      it(`affect no other record: ${what}, in chunks of ${chunkSize}`, async () => {
        const [first, last] = [GOOD('first'), GOOD('last')];
        const read = await readAll(readMarc21, Buffer.concat([first, bytes, last]), chunkSize);
        assert.deepEqual(read.map(outline), [
          { ordinal: 1, offset: 0, id: 'first' },
          { ordinal: 2, offset: first.length, erratum: true },
          { ordinal: 3, offset: first.length + bytes.length, id: 'last' },
        ]);
        const [, erratum] = read;
        assert.match(erratum?.kind === 'erratum' ? erratum.reason : '', reason);
      });
    }

    it(`are found at the end of a file: ${what}`, async () => {
      const read = await readAll(readMarc21, Buffer.concat([GOOD('first'), bytes]));
      assert.deepEqual(
        read.map(({ kind }) => kind),
        ['record', 'erratum'],
      );
    });
  }

  it('are all found when several records without terminators follow each other', async () => {
    const cut = GOOD('cut').subarray(0, -1);
    const read = await readAll(readMarc21, Buffer.concat([cut, cut, cut, GOOD('whole')]));
    assert.deepEqual(
      read.map(({ kind }) => kind),
      ['erratum', 'erratum', 'erratum', 'record'],
    );
  });

  it('are all found in a long file without a record terminator', async () => {
    const cut = (number: number) => GOOD(`cut ${String(number).padStart(4, '0')}`).subarray(0, -1);
    const file = Buffer.concat([...Array.from({ length: 8_000 }, (_, number) => cut(number)), GOOD('whole')]);
    const read = await readAll(readMarc21, file, 10_000);
    assert.equal(read.length, 8_001);
    assert.ok(read.slice(0, -1).every(({ offset }, at) => offset === at * cut(0).length));
    assert.equal(read.at(-1)?.kind, 'record');
  });

  it('have a reason of their own each', async () => {
    const reasons: readonly (readonly [Buffer, string])[] = [
      [raw('001bad', '24510\x1faA\x01B'), 'field 245 $a has the control character 01 in its text'],
      [raw('001bad', '008a\x1fb'), 'field 008 has a subfield (1F): a control field has none'],
      [
        raw('001bad', Buffer.from('24510\x1fa\xb9 x', 'latin1')),
        'field 245 $a has the byte B9, which is not UTF-8, although leader/09 is "a"',
      ],
      [
        raw('001bad', '650 0\x1faOne', Buffer.from('650 0\x1faTwo\x1fx\xc3\xa9\xb9', 'latin1')),
        'field 650 $x (2nd 650) has the byte B9, which is not UTF-8, although leader/09 is "a"',
      ],
    ];
    for (const [bytes, reason] of reasons) {
      const [read] = await readAll(readMarc21, bytes);
      assert.equal(read?.kind === 'erratum' && read.reason, reason);
    }
  });

  it('carry the id when it can be read', async () => {
    const bytes = raw('001 an id ', '24510\x1faA\x01B');
    const [read] = await readAll(readMarc21, bytes);
    assert.equal(read?.id, 'an id');
    for (const wrong of [changed(record, 6, '\x01'), changed(record, 39, '0900'), record.subarray(0, -1)]) {
      assert.deepEqual(
        (await readAll(readMarc21, wrong)).map(({ kind, id }) => [kind, id]),
        [['erratum', 'bad']],
      );
    }
    // A length that is too long by one: the entry of the 001 is damaged.
    const [unknown] = await readAll(readMarc21, changed(record, 27, '0005'));
    assert.deepEqual([unknown?.kind, unknown?.id], ['erratum', undefined]);
  });

  it('are one erratum for a record that is far too long', async () => {
    const long = Buffer.concat([
      changed(raw('001long', '24510\x1faTitle'), 0, '99999').subarray(0, -1),
      Buffer.alloc(700_000, 'x'),
      Buffer.from('\x1e\x1d'),
    ]);
    for (const chunkSize of [10_000, 65_536, 2_000_000]) {
      const read = await readAll(readMarc21, Buffer.concat([GOOD('first'), long, GOOD('last')]), chunkSize);
      const reason = `the record has ${long.length} bytes, and one of MARC21 at most 99999: send it in parts with the same 001, or as MARCXML`;
      const facts = { title: 'Title', reason, fault: { kind: 'long-record' } };
      assert.deepEqual(
        read.map((one) => (isRecord(one) ? one.id : one)),
        ['first', { kind: 'erratum', ordinal: 2, offset: GOOD('first').length, id: 'long', ...facts }, 'last'],
      );
      assert.equal(read[2]!.offset, GOOD('first').length + long.length);
    }
    const [short] = await readAll(
      readMarc21,
      Buffer.concat([changed(long.subarray(0, 150_000), 39, '9999'), Buffer.from('\x1d')]),
    );
    assert.match(short?.kind === 'erratum' ? short.reason : '', /^the record has 150001 bytes/);
  });

  it('carry the id of a record whose directory alone is too long, unless it is far behind, in any chunks', async () => {
    for (const [count, id] of [
      [12_000, 'long'],
      [20_000, undefined],
    ] as const) {
      const directory = `001000500000${'500000700005'.repeat(count)}`;
      const long = `99999nam a2299999 a 4500${directory}\x1elong\x1e${'  \x1faTo\x1e'.repeat(count)}\x1d`;
      for (const chunkSize of [65_536, 2_000_000]) {
        const read = await readAll(readMarc21, Buffer.concat([Buffer.from(long), GOOD('last')]), chunkSize);
        assert.deepEqual(
          read.map((one) => [one.kind, one.id]),
          [
            ['erratum', id],
            ['record', 'last'],
          ],
        );
      }
    }
  });

  it('are one erratum for bytes that are no records, and end where a leader begins', async () => {
    const other = Buffer.from(`${'x'.repeat(500_000)}\x1e`);
    for (const chunkSize of [10_000, 65_536, 2_000_000]) {
      const read = await readAll(readMarc21, Buffer.concat([GOOD('first'), other, GOOD('last')]), chunkSize);
      assert.deepEqual(
        read.map(({ kind, offset }) => [kind, offset]),
        [
          ['record', 0],
          ['erratum', GOOD('first').length],
          ['record', GOOD('first').length + other.length],
        ],
      );
      assert.match(read[1]?.kind === 'erratum' ? read[1].reason : '', /^500001 bytes are not a record/);
    }
  });

  it('do not matter in a deletion whose id can be read', async () => {
    const gone = changed(record, 5, 'd');
    const wrong = [
      changed(raw('001bad', '24510\x1faA\x01B'), 5, 'd'),
      changed(gone, 6, '\x01'),
      changed(gone, 39, '0900'),
      changed(gone, 22, '\xed'),
      gone.subarray(0, -1),
    ];
    for (const bytes of wrong) {
      const read = await readAll(readMarc21, Buffer.concat([GOOD('first'), bytes, GOOD('last')]));
      assert.deepEqual(
        read.map((one) => [one.id, isRecord(one) && one.deleted]),
        [
          ['first', false],
          ['bad', true],
          ['last', false],
        ],
      );
    }
    const [unknown] = await readAll(readMarc21, changed(changed(gone, 27, '0005'), 39, '0900'));
    assert.equal(unknown?.kind, 'erratum');
  });
});

describe('A lenient reader of MARC21', () => {
  for (const said of ['00000', '00080', '00082', '99999', 'xxxxx']) {
    it(`reads a record whose leader says ${said} bytes when its directory is right`, async () => {
      const wrong = changed(GOOD('wrong'), 0, said);
      const read = await readAll(readMarc21, Buffer.concat([GOOD('first'), wrong, GOOD('last')]));
      assert.deepEqual(
        read.map(({ id }) => id),
        ['first', 'wrong', 'last'],
      );
      assert.deepEqual(read.filter(isRecord)[1]!.record.bytes, GOOD('wrong'));
    });
  }

  const CORRECTED: readonly (readonly [string, number, string])[] = [
    ['another length that is not printable', 0, '\x92\xed\xff\xed\x92'],
    ['a blank length', 0, '     '],
    ['other counts of indicators and codes', 10, '\x92\xed'],
    ['a base address that is no number', 12, 'abcde'],
    ['a base address behind its end', 12, '99999'],
    ['a base address that splits an entry', 12, '00050'],
    ['an entry map that is not printable', 20, '45\xed0'],
    ['a terminator in its entry map', 20, '45\x1d0'],
  ];
  for (const [what, at, text] of CORRECTED) {
    for (const chunkSize of [1, 7, 65_536]) {
      it(`corrects what says nothing in a leader: ${what}, in chunks of ${chunkSize}`, async () => {
        const file = Buffer.concat([GOOD('first'), changed(GOOD('wrong'), at, text), GOOD('last')]);
        const read = await readAll(readMarc21, file, chunkSize);
        assert.deepEqual(
          read.map(({ id }) => id),
          ['first', 'wrong', 'last'],
        );
        assert.deepEqual(read.filter(isRecord)[1]!.record.bytes, GOOD('wrong'));
      });
    }
  }

  it('reads records with blank lengths alone, also behind a byte order mark', async () => {
    const blank = (id: string) => changed(GOOD(id), 0, '     ');
    const file = Buffer.concat([
      Buffer.from('\ufeff'),
      blank('1'),
      Buffer.from('\r\n   '),
      blank('2'),
      Buffer.from('        '),
    ]);
    for (let chunkSize = 1; chunkSize <= file.length; chunkSize++) {
      const read = await readAll(readMarc21, file, chunkSize);
      assert.deepEqual(
        read.map(({ kind, offset, id }) => [kind, offset, id]),
        [
          ['record', 3, '1'],
          ['record', 3 + blank('1').length + 5, '2'],
        ],
      );
    }
  });

  it('reads two records when the leader of the first has the length of both', async () => {
    const both = GOOD('first').length + GOOD('last').length;
    const first = changed(GOOD('first'), 0, String(both).padStart(5, '0'));
    const read = await readAll(readMarc21, Buffer.concat([first, GOOD('last'), GOOD('other')]));
    assert.deepEqual(
      read.filter(isRecord).map(({ id }) => id),
      ['first', 'last', 'other'],
    );
  });

  it('reads line breaks between records, and what systems add to the end of a file', async () => {
    const parts = ['\n', GOOD('1'), '\r\n', GOOD('2'), '\n\n  ', GOOD('3'), '\r\n\x1a\0\0\0'];
    const file = Buffer.concat(parts.map((part) => Buffer.from(part)));
    for (let chunkSize = 1; chunkSize <= file.length; chunkSize++) {
      const read = await readAll(readMarc21, file, chunkSize);
      assert.deepEqual(
        read.map(({ offset, id }) => [offset, id]),
        [
          [1, '1'],
          [2 + 1 + GOOD('1').length, '2'],
          [2 + 1 + 4 + GOOD('1').length + GOOD('2').length, '3'],
        ],
      );
    }
  });

  it('reads fields that are not in the order of the directory, and leaves out what it does not name', async () => {
    const bytes = raw('001id', '500  \x1fafirst', '501  \x1faunused', '502  \x1fasecond');
    const entry = (number: number) => bytes.toString('latin1', 24 + 12 * number, 36 + 12 * number);
    const reordered = changed(bytes, 36, entry(3) + entry(1) + entry(3).replace('502', '504'));
    const [read] = (await readAll(readMarc21, reordered)).filter(isRecord);
    const texts = [...read!.record.fields()].map((field) =>
      'value' in field ? field.value : field.subfields[0]!.value,
    );
    assert.deepEqual(texts, ['id', 'second', 'first', 'second']);
  });

  const ODD: readonly (readonly [string, string | Buffer, string | undefined, RegExp])[] = [
    [
      'three bytes before the first subfield',
      '752 1x\x1faEl Paso',
      '752 1\x1faEl Paso',
      /has 3 indicators: two were kept/,
    ],
    ['one indicator', '7521\x1faEl Paso', '7521 \x1faEl Paso', /has 1 of two indicators/],
    ['no indicators', '752\x1faEl Paso', '752  \x1faEl Paso', /has 0 of two indicators/],
    ['an indicator that is not ASCII', '752é\x1faEl Paso', '752  \x1faEl Paso', /an indicator that is not ASCII/],
    ['an empty field', '752', undefined, /^field 752 is empty: the field was left out$/],
    ['text without a subfield', '75210El Paso', undefined, /has text without a subfield: the field was left out$/],
    ['a code with an accent', '752  \x1féEl\x1fbPaso', '752  \x1feEl\x1fbPaso', /the subfield code "é".*became "e"$/],
    [
      'a code of another script',
      '752  \x1fжEl\x1fbPaso',
      '752  \x1fbPaso',
      /the subfield code "ж": the subfield was left/,
    ],
    [
      'a subfield without a code',
      '752  \x1f\x1fbPaso\x1f',
      '752  \x1fbPaso',
      /without a code.*; field 752 has a subfield without a code/,
    ],
  ];
  for (const [what, odd, mended, warning] of ODD) {
    it(`reads a record with ${what}, and warns of it`, async () => {
      const around = ['001odd', '24510\x1faŽluťoučký'] as const;
      const file = Buffer.concat([GOOD('first'), raw(...around, odd, '999  \x1faitem'), GOOD('last')]);
      for (const chunkSize of [7, 65_536]) {
        const read = (await readAll(readMarc21, file, chunkSize)).filter(isRecord);
        assert.deepEqual(
          read.map(({ id, ordinal }) => [id, ordinal]),
          [
            ['first', 1],
            ['odd', 2],
            ['last', 3],
          ],
        );
        assert.match(read[1]!.warning!, warning);
        assert.equal(read[0]!.warning, undefined);
        const rest = mended === undefined ? [] : [mended];
        assert.deepEqual(read[1]!.record.bytes, raw(...around, ...rest, '999  \x1faitem'));
      }
    });
  }

  it('reads odd fields of MARC-8, whose codes it does not guess', async () => {
    const odd = raw('001odd', Buffer.from('2451\x1faCaf\xe2e\x1f\xe2eNo', 'latin1'));
    odd.write(' ', 9);
    const [read] = (await readAll(readMarc21, odd)).filter(isRecord);
    assert.deepEqual(contentOf(read!).fields[1], {
      tag: '245',
      indicators: '1 ',
      subfields: [{ code: 'a', value: 'Café' }],
    });
    assert.match(read!.warning!, /1 of two indicators.*; field 245 has the subfield code.*was left out$/);
  });

  it('describes the first of many odd fields', async () => {
    const [read] = (await readAll(readMarc21, raw('001odd', ...Array<string>(50).fill('500')))).filter(isRecord);
    assert.match(read!.warning!, /^(field 500( \(\w+ 500\))? is empty: the field was left out; ){3}and 47 more$/);
  });

  it('reads an entry of the directory without a length as an empty field', async () => {
    const odd = changed(raw('001odd', '500', '999  \x1faitem'), 39, '0000');
    const [read] = (await readAll(readMarc21, odd)).filter(isRecord);
    assert.deepEqual(read!.record.bytes, raw('001odd', '999  \x1faitem'));
  });

  it('reads nothing of an empty file, and of one with line breaks only', async () => {
    assert.deepEqual(await readAll(readMarc21, Buffer.alloc(0)), []);
    assert.deepEqual(await readAll(readMarc21, Buffer.from('\r\n\n')), []);
  });

  it('reports deletions', async () => {
    const bytes = changed(GOOD('gone'), 5, 'd');
    const [read] = (await readAll(readMarc21, bytes)).filter(isRecord);
    assert.equal(read!.deleted, true);
  });
});

const outline = (read: ReadRecord) => {
  const { ordinal, offset } = read;
  return read.kind === 'record' ? { ordinal, offset, id: read.id } : { ordinal, offset, erratum: true };
};
