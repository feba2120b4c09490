import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { MarcField } from '../../src/records/forms/marc/marc-record.ts';
import { eastAsian } from '../../src/records/forms/marc/marc8/eacc.ts';
import { decodeMarc8 } from '../../src/records/forms/marc/marc8/marc8.ts';
import { MARCXML_END, MARCXML_START } from '../../src/records/forms/marc/marcxml-markup.ts';
import { readMarc21 } from '../../src/records/forms/marc/read-marc21.ts';
import { readMarcXml } from '../../src/records/forms/marc/read-marcxml.ts';
import { writeMarcXml } from '../../src/records/forms/marc/write-marcxml.ts';
import { itWithMarcPrograms, type ListedRecord, runPymarc, runYazMarcdump } from '../support/marc-programs.ts';
import { encodeSample, encodeSampleXml, type SampleRecord, sampleRecords } from '../support/marc-records.ts';
import { contentOf, isRecord, readAll, withoutLengths } from '../support/read-marc.ts';
import { useTempFolder } from '../support/temp-folder.ts';

const SAMPLES = [...sampleRecords({ seed: 1, count: 300 })];

describe('MARC of other programs', () => {
  const folder = useTempFolder();

  itWithMarcPrograms('pymarc and yaz-marcdump read the records that we write', async () => {
    const xml = `${MARCXML_START}${SAMPLES.map((sample) => encodeSampleXml(sample)).join('')}${MARCXML_END}`;
    const records = (await readAll(readMarcXml, Buffer.from(xml))).filter(isRecord).map(({ record }) => record);
    folder.write('ours.mrc', Buffer.concat(records.map(({ bytes }) => bytes)));
    folder.write('ours.xml', `${MARCXML_START}${records.map(writeMarcXml).join('')}${MARCXML_END}`);
    folder.write('yaz.xml', await runYazMarcdump('-i', 'marc', '-o', 'marcxml', folder.at('ours.mrc')));
    folder.write('yaz.mrc', await runYazMarcdump('-i', 'marcxml', '-o', 'marc', folder.at('ours.xml')));

    const list = ['ours.mrc', 'ours.xml', 'yaz.xml', 'yaz.mrc'].map((name) => folder.at(name));
    const read = await runPymarc({ convert: [], list });
    const expected = SAMPLES.map(({ leader, fields }): ListedRecord => [withoutLengths(leader), fields.map(listed)]);
    for (const name of list) {
      const withLengths = read[name]!;
      sameRecords(
        withLengths.map(([leader, fields]) => [withoutLengths(leader), fields]),
        expected,
        name,
      );
    }
  });

  itWithMarcPrograms('we read the records that pymarc and yaz-marcdump write', async () => {
    const samples = folder.at('samples.mrc');
    folder.write('samples.mrc', Buffer.concat(SAMPLES.map((sample) => encodeSample(sample))));
    const convert = ['pymarc.mrc', 'pymarc.xml'].map((name) => ({ from: samples, to: folder.at(name) }));
    await runPymarc({ convert, list: [] });
    folder.write('yaz.mrc', await runYazMarcdump('-i', 'marc', '-o', 'marc', samples));
    folder.write('yaz.xml', await runYazMarcdump('-i', 'marc', '-o', 'marcxml', samples));

    const expected = SAMPLES.map(({ leader, fields }) => ({ leader: withoutLengths(leader), fields }));
    for (const name of ['pymarc.mrc', 'yaz.mrc', 'pymarc.xml', 'yaz.xml']) {
      const read = await readAll(name.endsWith('.xml') ? readMarcXml : readMarc21, readFileSync(folder.at(name)));
      sameRecords(
        read.map((record) => (isRecord(record) ? contentOf(record) : record)),
        expected,
        name,
      );
    }
  });

  itWithMarcPrograms('we read the MARC-8 that yaz-marcdump writes', async () => {
    const samples = [...sampleRecords({ seed: 2, count: 300, repertoire: 'marc8' })];
    // YAZ converts letters with marks only when these are characters of their own.
    const written = samples.map((sample) => Buffer.from(encodeSample(normalized(sample, 'NFD'))));
    folder.write('samples.mrc', Buffer.concat(written));
    const coding = ['-f', 'utf8', '-t', 'marc8', '-l', '9=32'];
    const marc8 = await runYazMarcdump('-i', 'marc', '-o', 'marc', ...coding, folder.at('samples.mrc'));

    const read = await readAll(readMarc21, marc8);
    sameRecords(
      read.map((record) => (isRecord(record) ? contentOf(record).fields : record)),
      // Field 066 lists the sets of MARC-8: it is left out.
      samples.map((sample) => normalized(sample, 'NFC').fields.filter(({ tag }) => tag !== '066')),
      'MARC-8',
    );
  });

  itWithMarcPrograms('we read every character of MARC-8 as yaz-marcdump does', async () => {
    const sequences = ['(3', '(4', '(N', '(Q', '(S', '(2', '(!E', ')3', ')4', ')N', ')Q', ')S', ')2', 'g', 'b', 'p'];
    const texts = sequences.flatMap((sequence) => {
      const half = sequence.startsWith(')') ? 0x80 : 0;
      const codes = Array.from({ length: 94 }, (_, at) => half + 0x21 + at);
      // After each there is a letter, for marks.
      const back = sequence.length > 1 ? '\x1b(Bx' : '\x1bsx';
      return codes.map((code) => `\x1b${sequence}${String.fromCharCode(code)}${back}`);
    });
    const known = texts.filter((text) => isKnown(Buffer.from(text, 'latin1')));
    assert.equal(known.length, CHARACTERS);
    const records = known.map((text, at) => {
      const title = { tag: '245', indicators: '10', subfields: [{ code: 'a', value: text }] };
      const sample = { leader: '00000nam a2200000 a 4500', fields: [{ tag: '001', value: String(at) }, title] };
      return encodeSample(sample, ' ');
    });
    folder.write('marc8.mrc', Buffer.concat(records));
    const coding = ['-f', 'marc8', '-t', 'utf8', '-l', '9=97'];
    const byYaz = await runYazMarcdump('-i', 'marc', '-o', 'marc', ...coding, folder.at('marc8.mrc'));

    const expected = (await readAll(readMarc21, byYaz)).filter(isRecord);
    const read = await readAll(readMarc21, readFileSync(folder.at('marc8.mrc')));
    sameRecords(
      read.map((record) => (isRecord(record) ? contentOf(record).fields : record)),
      expected.map((record) => normalized(contentOf(record), 'NFC').fields),
      'all characters',
    );
    assert.equal(read.length, CHARACTERS);
  });

  itWithMarcPrograms('we read every East Asian character of MARC-8 as yaz-marcdump does', async () => {
    const codes = [...eastAsian().letters.keys()].map((code) => {
      return String.fromCharCode(code >> 16, (code >> 8) & 0xff, code & 0xff);
    });
    assert.equal(codes.length, EAST_ASIAN_CHARACTERS);
    // In the lower half, and in the upper one.
    const inUpper = (text: string) => text.replace(/./gs, (byte) => String.fromCharCode(byte.charCodeAt(0) | 0x80));
    const texts = codes.flatMap((code) => [`\x1b$1${code}\x1b(B`, `\x1b$)1${inUpper(code)}\x1b)!E`]);
    const subfields = texts.map((value) => ({ code: 'a', value }));
    const records: Buffer[] = [];
    for (let at = 0; at < subfields.length; at += 500) {
      const title = { tag: '880', indicators: '10', subfields: subfields.slice(at, at + 500) };
      const sample = { leader: '00000nam a2200000 a 4500', fields: [{ tag: '001', value: String(at) }, title] };
      records.push(encodeSample(sample, ' '));
    }
    folder.write('eacc.mrc', Buffer.concat(records));
    const coding = ['-f', 'marc8', '-t', 'utf8', '-l', '9=97'];
    const byYaz = await runYazMarcdump('-i', 'marc', '-o', 'marc', ...coding, folder.at('eacc.mrc'));

    const expected = (await readAll(readMarc21, byYaz)).filter(isRecord);
    const read = await readAll(readMarc21, readFileSync(folder.at('eacc.mrc')));
    sameRecords(
      read.map((record) => (isRecord(record) ? contentOf(record).fields : record)),
      expected.map((record) => normalized(contentOf(record), 'NFC').fields),
      'East Asian characters',
    );
    assert.equal(read.length, records.length);
  });
});

/** Han 13,478, kana 172, Hangul 2,028, and punctuation and parts of characters: 61. */
const EAST_ASIAN_CHARACTERS = 15_739;

/** Of the codes of the test, so many are characters: 460 of six sets in each half, 65 of Latin, 31 others. */
const CHARACTERS = 1_016;

/** One record after the other: comparing all of them at once takes minutes when they differ. */
function sameRecords(actual: readonly unknown[], expected: readonly unknown[], name: string): void {
  for (const [at, record] of expected.entries()) {
    assert.equal(JSON.stringify(actual[at]), JSON.stringify(record), `record ${at} of ${name}`);
  }
  assert.equal(actual.length, expected.length, name);
}

function listed(field: MarcField): ListedRecord[1][number] {
  if ('value' in field) return [field.tag, field.value];
  return [field.tag, field.indicators, field.subfields.map(({ code, value }) => [code, value] as const)];
}

function normalized({ leader, fields }: SampleRecord, form: 'NFC' | 'NFD'): SampleRecord {
  const changed = fields.map((field) => {
    if ('value' in field) return field;
    return { ...field, subfields: field.subfields.map(({ code, value }) => ({ code, value: value.normalize(form) })) };
  });
  return { leader, fields: changed };
}

function isKnown(text: Buffer): boolean {
  try {
    decodeMarc8(text);
    return true;
  } catch {
    return false;
  }
}
