import assert from 'node:assert/strict';
import { buildRecord } from '../../../../../src/records/forms/marc/build-record.ts';
import { RecordJoiner } from '../../../../../src/records/forms/marc/join-records.ts';
import { type MarcField, MarcRecord } from '../../../../../src/records/forms/marc/marc-record.ts';
import { readMarc21 } from '../../../../../src/records/forms/marc/read-marc21.ts';
import { readMarcXml } from '../../../../../src/records/forms/marc/read-marcxml.ts';
import type { MarcPart, ReadRecord } from '../../../../../src/records/forms/marc/read-record.ts';
import { writeMarcXml } from '../../../../../src/records/forms/marc/write-marcxml.ts';
import { encodeSample } from '../../../../support/marc-records.ts';
import { contentOf, isRecord, readAll } from '../../../../support/read-marc.ts';

const LEADER = '00000nam a2200000 a 4500';
const data = (tag: string, value: string): MarcField => ({ tag, indicators: '  ', subfields: [{ code: 'a', value }] });
const notes = (letter: string, count: number): MarcField[] =>
  Array.from({ length: count }, (_, at) => data('500', `${letter}${at}${'x'.repeat(9_000)}`));
const part = (id: string, ...fields: readonly MarcField[]): Buffer =>
  encodeSample({ leader: LEADER, fields: [{ tag: '001', value: id }, { tag: '008', value: 'same' }, ...fields] });

const byTag = (fields: readonly MarcField[]): readonly MarcField[] =>
  [...fields].sort((one, other) => Number(one.tag) - Number(other.tag));

async function outline(...parts: readonly Buffer[]) {
  const read = await readAll(readMarc21, Buffer.concat(parts));
  return read.map((record) => ({
    id: record.id,
    ordinal: record.ordinal,
    offset: record.offset,
    fields: isRecord(record) ? contentOf(record).fields.length : 0,
  }));
}

describe('Parts of a MARC21 record', () => {
  it('are one record when they have more than 99,999 bytes together', async () => {
    const parts = ['a', 'b', 'c'].map((letter) => part('big', ...notes(letter, 5)));
    assert.deepEqual(await outline(part('1'), ...parts, part('2')), [
      { id: '1', ordinal: 1, offset: 0, fields: 2 },
      { id: 'big', ordinal: 2, offset: part('1').length, fields: 17 },
      { id: '2', ordinal: 3, offset: part('1').length + 3 * parts[0]!.length, fields: 2 },
    ]);
  });

  it('are records of their own when they could be one: the last counts', async () => {
    const read = await outline(part('1', data('245', 'old')), part('1', data('245', 'new')), part('2'));
    assert.deepEqual(
      read.map(({ id, fields }) => [id, fields]),
      [
        ['1', 3],
        ['1', 3],
        ['2', 2],
      ],
    );
  });

  it('are a bibliographic record and its holdings, however short: with the fields of both', async () => {
    const bib = (id: string) => part(id, data('245', 'Title'), data('999', 'local'));
    const holdings = (id: string, type: string, ...fields: readonly MarcField[]) => {
      const bytes = part(id, data('245', 'Title'), data('852', 'Shelf'), ...fields);
      bytes.write(type, 6);
      return bytes;
    };
    const parts = [...'uvxy'].flatMap((type) => [
      bib(type),
      holdings(type, type),
      holdings(type, type, data('863', '1')),
    ]);
    const read = (await readAll(readMarc21, Buffer.concat([...parts, bib('2'), bib('2')]))).filter(isRecord);
    assert.deepEqual(
      read.map(({ id, ordinal }) => [id, ordinal]),
      ['u', 'v', 'x', 'y', '2', '2'].map((id, at) => [id, at + 1]),
    );
    assert.deepEqual(
      contentOf(read[0]!).fields.map(({ tag }) => tag),
      ['001', '008', '245', '999', '852', '852', '863'],
    );
    assert.equal(read[0]!.record.leader[6], 'a');

    const gone = holdings('1', 'y');
    gone.write('d', 5);
    const [kept, ...others] = (await readAll(readMarc21, Buffer.concat([bib('1'), gone]))).filter(isRecord);
    assert.deepEqual([kept!.deleted, contentOf(kept!).fields.length, others.length], [false, 4, 0]);
    const versions = await outline(bib('1'), holdings('1', 'y'), bib('1'), holdings('other', 'y'));
    assert.deepEqual(
      versions.map(({ id, fields }) => [id, fields]),
      [
        ['1', 5],
        ['1', 4],
        ['other', 4],
      ],
    );
  });

  it('are one record when each has other items, and all else is the same', async () => {
    const bib = [data('245', 'Title'), data('856', 'link'), data('910', 'in each')];
    const items = (...names: readonly string[]) => part('1', ...bib, ...names.map((name) => data('999', name)));
    const parts = [items('a', 'b', 'b'), items('c'), items('d', 'e'), part('2')];
    const xml = parts.map((bytes) => writeMarcXml(new MarcRecord(bytes))).join('');
    const inBoth = [
      await readAll(readMarc21, Buffer.concat(parts)),
      await readAll(readMarcXml, Buffer.from(`<collection>${xml}</collection>`)),
    ];
    for (const read of inBoth) {
      const [joined, ...others] = read.filter(isRecord);
      assert.deepEqual(
        others.map(({ id, ordinal }) => [id, ordinal]),
        [['2', 2]],
      );
      assert.deepEqual(
        contentOf(joined!).fields.map((field) => ('value' in field ? field.value : field.subfields[0]!.value)),
        ['1', 'same', 'Title', 'link', 'in each', 'a', 'b', 'b', 'c', 'd', 'e'],
      );
    }
  });

  it('are versions when one has no items of its own, or anything else differs', async () => {
    const items = (title: string, ...names: readonly string[]) =>
      part('1', data('245', title), ...names.map((name) => data('999', name)));
    const changed = items('Title', 'b');
    changed.write('c', 5);
    for (const other of [items('Title', 'a'), items('Title', 'a', 'b'), items('Title'), items('Other', 'b'), changed]) {
      for (const parts of [
        [items('Title', 'a'), other],
        [other, items('Title', 'a')],
      ]) {
        assert.equal((await outline(...parts)).length, 2);
      }
    }
  });

  it('are versions when they have an item in common, or no other items, whatever else differs', async () => {
    const count = async (...records: readonly (readonly string[])[]) => {
      const parts = records.map((fields) =>
        part('1', data('245', 'Title'), ...fields.map((field) => data(field.slice(0, 3), field))),
      );
      return (await outline(...parts)).map(({ fields }) => fields - 3);
    };
    // An item was deleted, or added.
    assert.deepEqual(await count(['949 1', '949 2', '998 old'], ['949 1', '998 new']), [3, 2]);
    assert.deepEqual(await count(['949 1', '998 old'], ['949 1', '949 2', '998 new']), [2, 3]);
    assert.deepEqual(await count(['949 1'], ['949 2'], ['949 1']), [2, 1]);
    assert.deepEqual(await count(['949 1'], ['998 new']), [1, 1]);
    // A link was corrected.
    assert.deepEqual(await count(['856 old', '949 1'], ['856 new', '949 1']), [2, 2]);
    // Parts: holdings that several of their items have in common, fields that only one has, and links of items.
    const shelves = [
      ['852 A', '949 1'],
      ['852 A', '949 2'],
      ['852 B', '949 3'],
      ['852 B', '949 4'],
    ] as const;
    assert.deepEqual(await count(...shelves), [6]);
    assert.deepEqual(await count(['856 x', '856 1', '949 1', '950 1'], ['856 x', '856 2', '949 2']), [6]);
  });

  it('are versions of a record when their titles differ, however long they are together', async () => {
    const versions = ['old', 'new'].map((title) => part('1', data('245', title), ...notes(title, 7)));
    const read = await outline(...versions);
    assert.deepEqual(
      read.map(({ fields }) => fields),
      [10, 10],
    );
  });

  it('are an erratum as a whole when one of them cannot be read', async () => {
    const parts = ['a', 'b', 'c'].map((letter) => part('big', ...notes(letter, 10)));
    const before = part('1').length;
    for (const [at, good] of parts.entries()) {
      const wrong = Buffer.from(good);
      wrong.write('\x01', wrong.length - 10);
      const read = await readAll(readMarc21, Buffer.concat([part('1'), ...parts.with(at, wrong), part('2')]));
      assert.deepEqual(
        read.map(({ kind, id, ordinal, offset }) => [kind, id, ordinal, offset]),
        [
          ['record', '1', 1, 0],
          ['erratum', 'big', 2, before],
          ['record', '2', 3, before + 3 * good.length],
        ],
      );
      const place = before + at * good.length;
      const start = `a part of it, at byte ${place} of the file, cannot be read: field 500`;
      assert.ok(read[1]!.kind === 'erratum' && read[1]!.reason.startsWith(start));
    }
  });

  it('are an erratum as a whole when one has no id that can be read', async () => {
    const parts = ['a', 'b'].map((letter) => part('big', ...notes(letter, 10)));
    for (const [at, good] of parts.entries()) {
      const wrong = Buffer.from(good);
      wrong.write('x', 30);
      const read = await readAll(readMarc21, Buffer.concat([part('1'), ...parts.with(at, wrong), part('2')]));
      assert.deepEqual(
        read.map(({ kind, id }) => [kind, id]),
        [
          ['record', '1'],
          ['erratum', 'big'],
          ['record', '2'],
        ],
      );
      assert.match(
        read[1]!.kind === 'erratum' ? read[1]!.reason : '',
        /^what may be a part of it, at byte \d+ of the file/,
      );
    }
  });

  it('are not concerned by a damaged version of a record that is short', async () => {
    const wrong = part('1', data('245', 'new'));
    wrong.write('\x01', wrong.length - 4);
    const read = await readAll(readMarc21, Buffer.concat([part('1', data('245', 'old')), wrong, part('1')]));
    assert.deepEqual(
      read.map(({ kind, id }) => [kind, id]),
      [
        ['record', '1'],
        ['erratum', '1'],
        ['record', '1'],
      ],
    );
  });

  it('are kept in memory up to a number, also when they are tiny or cannot be read', () => {
    const place = { offset: 0, id: '1', type: undefined, length: 0 };
    const bad: MarcPart = { ...place, fault: { kind: 'not-a-record' }, reason: 'wrong' };
    const good: MarcPart = { ...place, deleted: false, record: new MarcRecord(part('1')), length: 70 };
    const read = (one: MarcPart, count: number): readonly ReadRecord[] => {
      const joiner = new RecordJoiner(Infinity);
      const records: ReadRecord[] = [];
      for (let at = 0; at < count; at++) joiner.add(one, records);
      joiner.end(records);
      return records;
    };
    assert.equal(read(bad, 128_000).length, 128_000);
    for (const one of [bad, good]) {
      const [erratum, ...others] = read(one, 128_001);
      assert.match(erratum?.kind === 'erratum' ? erratum.reason : '', /or are more than 128000$/);
      assert.equal(others.length, 0);
    }
  });

  it('are not joined with what another record comes before', async () => {
    const [first, second] = [part('big', ...notes('a', 10)), part('big', ...notes('b', 10))];
    const read = await outline(first, part('other'), second);
    assert.deepEqual(
      read.map(({ id }) => id),
      ['big', 'other', 'big'],
    );
  });

  it('may repeat fields: those of the title are read once, those of copies as often as they come', async () => {
    const repeated = [data('245', 'Title'), data('852', 'Shelf 1'), data('999', 'local')];
    const parts = ['a', 'b'].map((letter) => part('big', ...repeated, ...notes(letter, 6)));
    const [record] = (await readAll(readMarc21, Buffer.concat(parts))).filter(isRecord);
    const tags = contentOf(record!).fields.map(({ tag }) => tag);
    const count = (tag: string) => tags.filter((other) => other === tag).length;
    assert.deepEqual(
      ['001', '008', '245', '500', '852', '999'].map((tag) => count(tag)),
      [1, 1, 1, 12, 2, 2],
    );
  });

  it('begin with the 001 and the control fields, wherever the record has its 001', async () => {
    const control = ['005', '008'].map((tag) => ({ tag, value: `control ${tag}` }));
    const [id, late] = [
      { tag: '001', value: 'big' },
      { tag: '006', value: 'late' },
    ];
    const orders: readonly (readonly MarcField[])[] = [
      [id, ...control, ...notes('a', 12), late],
      [...control, id, ...notes('a', 12), late],
      [data('245', 'Title'), ...control, ...notes('a', 12), id, late],
    ];
    for (const fields of orders) {
      const record = buildRecord(LEADER, fields);
      assert.deepEqual(record.fields().next().value, id);
      assert.deepEqual(byTag([...record.fields()]), byTag(fields));
      const [read] = (await readAll(readMarc21, record.bytes)).filter(isRecord);
      assert.equal(read!.id, 'big');
    }
  });

  it('repeat the 001 alone when the control fields are long', () => {
    const long = Array.from({ length: 30 }, (_, at) => ({ tag: '007', value: `${at}${'x'.repeat(9_000)}` }));
    const fields = [{ tag: '001', value: 'big' }, ...long, ...notes('a', 12)];
    const record = buildRecord(LEADER, fields);
    assert.deepEqual([...record.fields()], fields);
    assert.ok(record.bytes.length < 1.02 * fields.length * 9_020);
  });

  it('are written with at most 99,999 bytes each, and with the id in each', async () => {
    const parts = ['a', 'b', 'c'].map((letter) => part('big', ...notes(letter, 10)));
    const [read] = (await readAll(readMarc21, Buffer.concat(parts))).filter(isRecord);
    const { bytes } = read!.record;
    const lengths: number[] = [];
    for (let at = 0; at < bytes.length; at += lengths.at(-1)!) {
      lengths.push(Number(bytes.toString('latin1', at, at + 5)));
      const base = at + Number(bytes.toString('latin1', at + 12, at + 17));
      assert.equal(bytes.toString('latin1', base, base + 4), 'big\x1e');
    }
    assert.ok(lengths.length >= 3 && lengths.every((length) => length <= 99_999 && length > 9_000), lengths.join());
  });
});
