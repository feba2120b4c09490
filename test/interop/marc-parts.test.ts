import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { buildRecord } from '../../src/records/forms/marc/build-record.ts';
import type { MarcField, MarcRecord } from '../../src/records/forms/marc/marc-record.ts';
import { readMarc21 } from '../../src/records/forms/marc/read-marc21.ts';
import { itWithMarcPrograms, type ListedRecord, runPymarc, runYazMarcdump } from '../support/marc-programs.ts';
import { contentOf, isRecord, readAll } from '../support/read-marc.ts';
import { useTempFolder } from '../support/temp-folder.ts';

const LEADER = '00000nam a2200000 a 4500';
/** Bytes that a record would have as one physical record, and the parts that it has to have. */
const SIZES: readonly (readonly [number, number])[] = [
  [99_998, 1],
  [99_999, 1],
  [100_000, 2],
  [100_001, 2],
  [199_000, 3],
  [250_000, 3],
  [1_000_000, 11],
];

describe('Records above 99,999 bytes, as other programs read them', () => {
  const folder = useTempFolder();

  itWithMarcPrograms('have parts of at most 99,999 bytes, each with the id and the control fields', async () => {
    for (const [size, parts] of SIZES) {
      const record = recordOf(size);
      folder.write('split.mrc', record.bytes);
      // As MARCXML: the MARC21 that yaz-marcdump writes has no fields behind some 94,000 bytes.
      folder.write('yaz.xml', await runYazMarcdump('-i', 'marc', '-o', 'marcxml', folder.at('split.mrc')));
      assert.equal(lengthsOf(record.bytes).length, parts, `${size}`);
      assert.ok(lengthsOf(record.bytes).every((length) => length <= 99_999));

      const list = ['split.mrc', 'yaz.xml'].map((name) => folder.at(name));
      const convert = [{ from: folder.at('split.mrc'), to: folder.at('pymarc.mrc') }];
      const read = await runPymarc({ convert, list });
      for (const name of list) sameFields(read[name]!, record);
      const [joined, ...others] = await readAll(readMarc21, readFileSync(folder.at('pymarc.mrc')));
      assert.ok(joined !== undefined && isRecord(joined) && others.length === 0, `${size}`);
      assert.deepEqual(contentOf(joined).fields, [...record.fields()]);
    }
  });
});

/** A record that has so many bytes, unless it is split. */
function recordOf(size: number): MarcRecord {
  const note = (at: number, length: number): MarcField => ({
    tag: '500',
    indicators: '  ',
    subfields: [
      { code: 'a', value: `${String(at).padStart(6, '0')}${'é'.repeat(length / 2)}${'x'.repeat(length % 2)}` },
    ],
  });
  const control = [
    { tag: '001', value: 'large' },
    { tag: '005', value: '20240131120000.0' },
    { tag: '007', value: 'tu' },
    { tag: '008', value: '850101s1985    ne a     b    000 0 eng  ' },
  ];
  const usual = 7_981;
  // Leader and terminators; directory, bytes and terminator of each control field; all of a note besides its text.
  const frame = 26 + control.reduce((sum, { value }) => sum + 13 + value.length, 0);
  const around = 12 + 4 + 1 + 6;
  const notes: MarcField[] = [];
  let rest = size - frame;
  while (rest > 2 * usual) {
    notes.push(note(notes.length, usual - around));
    rest -= usual;
  }
  const half = Math.floor(rest / 2);
  notes.push(note(notes.length, half - around), note(notes.length + 1, rest - half - around));
  return buildRecord(LEADER, [...control, ...notes]);
}

function lengthsOf(bytes: Buffer): readonly number[] {
  const lengths: number[] = [];
  for (let at = 0; at < bytes.length; at += lengths.at(-1)!) {
    lengths.push(Number(bytes.toString('latin1', at, at + 5)));
  }
  return lengths;
}

/** Each part has the control fields; the other fields of all parts are those of the record. */
function sameFields(parts: readonly ListedRecord[], record: MarcRecord): void {
  const fields = [...record.fields()];
  const control = fields.flatMap((field) => ('value' in field ? [[field.tag, field.value]] : []));
  for (const [, listed] of parts) assert.deepEqual(listed.slice(0, control.length), control);
  assert.deepEqual(
    parts.flatMap(([, listed]) => listed.slice(control.length)),
    fields.flatMap((field) => {
      if ('value' in field) return [];
      return [[field.tag, field.indicators, field.subfields.map(({ code, value }) => [code, value])]];
    }),
  );
}
