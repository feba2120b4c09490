import assert from 'node:assert/strict';
import { readMarc21 } from '../../../../src/streams/marc/read-marc21.ts';
import type { ReadRecord } from '../../../../src/streams/marc/read-record.ts';
import { encodeSample, type SampleRecord } from '../../../support/marc-records.ts';
import { isRecord, readAll } from '../../../support/read-marc.ts';

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
  ['an empty 001', raw('001  ', '24510\x1faTitle'), /no field 001/],
  ['no fields', raw(), /no field 001/],
  ['an id of two lines', raw('00112\n34', '24510\x1faTitle'), /an id has no control characters: "12\\n34"/],
  ['a base address that is not a number', changed(record, 12, 'abcde'), /base address in its leader is "abcde"/],
  ['a base address behind its end', changed(record, 12, '99999'), /base address in its leader is "99999"/],
  ['a base address that splits an entry', changed(record, 12, '00050'), /expected 25 and a multiple of 12/],
  ['a directory without an end', changed(record, BASE - 1, 'x'), /78 at byte 48 at the end of the directory/],
  ['a control character in the leader', changed(record, 6, '\x01'), /01 at byte 6 in the leader/],
  ['a tag with a sign', changed(record, 24, '0!1'), /the entry "0!1.*expected a tag/],
  ['a length that is not a number', changed(record, 27, '00x4'), /the entry "00100x4.*expected a tag and digits/],
  ['a field that ends behind the end', changed(record, 39, '0900'), /the entry "2450900.*behind the end/],
  ['a field that ends too early', changed(record, 39, '0010'), /expected a field terminator \(1E\) at its end/],
  [
    'fields that overlap',
    changed(raw('001bad', '500  \x1faNote', '501a', '502b'), 48, '501000900004502000900004'),
    /overlap/,
  ],
  [
    'UTF-8 that is wrong',
    raw('001bad', Buffer.from('24510\x1facaf\xe9 x', 'latin1')),
    /E9 at byte \d+: expected UTF-8/,
  ],
  [
    'half a character',
    raw('001bad', Buffer.from('24510\x1fa\xed\xa0\x80', 'latin1')),
    /ED at byte \d+: expected UTF-8/,
  ],
  ['a control character', raw('001bad', '24510\x1faA\x01B'), /01 at byte \d+ in field 245/],
  ['a field terminator within a field', raw('001bad', '24510\x1faA\x1eB'), /1E at byte \d+ in field 245/],
  ['a record terminator within a field', raw('001bad', '24510\x1faA\x1dB'), /1D at byte \d+ in field 245/],
  ['an escape sequence in UTF-8', raw('001bad', '24510\x1faA\x1b(NB'), /1B at byte/],
  ['a character that XML cannot have', raw('001bad', '24510\x1faA\uffffB'), /U\+FFFE or U\+FFFF at byte/],
  ['no indicators', raw('001bad', '245\x1faTitle'), /expected two indicators/],
  ['text before the first subfield', raw('001bad', '24510Title'), /expected two indicators/],
  ['a subfield without a code', raw('001bad', '24510\x1faTitle\x1f'), /1E at byte \d+ in field 245/],
  ['a subfield in a control field', raw('001bad', '008a\x1fb'), /1F at byte \d+ in field 008/],
  ['no record terminator', record.subarray(0, -1), /no record terminator.*leader says 78 bytes/],
  ['an end in the middle of a field', record.subarray(0, 60), /no record terminator.*after 60 it breaks off/],
  ['an end in the middle of the directory', record.subarray(0, 30), /do not begin with the leader|base address/],
  ['text that is not a record', Buffer.from('<html>Not found</html>'), /22 bytes that do not begin with the leader/],
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
    const cut = GOOD('cut').subarray(0, -1);
    const file = Buffer.concat([...Array.from({ length: 8_000 }, () => cut), GOOD('whole')]);
    const read = await readAll(readMarc21, file, 10_000);
    assert.equal(read.length, 8_001);
    assert.ok(read.slice(0, -1).every(({ offset }, at) => offset === at * cut.length));
    assert.equal(read.at(-1)?.kind, 'record');
  });

  it('carry the id when it can be read', async () => {
    const bytes = raw('001 an id ', '24510\x1faA\x01B');
    const [read] = await readAll(readMarc21, bytes);
    assert.equal(read?.id, 'an id');
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
