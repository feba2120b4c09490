import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Erratum } from '../../src/records/errata/erratum.ts';
import { type FaultKind, faultWords } from '../../src/records/errata/fault-kinds.ts';
import { findRecordFiles } from '../../src/records/forms/identify.ts';
import { readFile } from '../../src/records/forms/read-file.ts';
import { listedErratum } from '../../src/records/forms/record-form.ts';
import { itWithMarcPrograms, runPython, runYazMarcdump } from '../support/marc-programs.ts';
import { encodeSample } from '../support/marc-records.ts';
import { useTempFolder } from '../support/temp-folder.ts';
import { given } from '../support/upload-packages.ts';

/** Field, occurrence, subfield, kind, and the marked text of the first erratum. */
type Expected = readonly [string | undefined, number | undefined, string | undefined, FaultKind, string?];

const data = (tag: string, indicators: string, ...subfields: readonly string[]) => ({
  tag,
  indicators,
  subfields: subfields.map((text) => ({ code: text.slice(0, 1), value: text.slice(1) })),
});
const LEADER = '00000nam a2200000 a 4500';
const FIELDS = [
  { tag: '001', value: '990001' },
  data('100', '1 ', 'aZola, Émile,'),
  data('245', '10', 'aThérèse Raquin :', 'broman.'),
  data('500', '  ', 'aA note.'),
];
const encode = (...more: readonly (typeof FIELDS)[number][]) =>
  encodeSample({ leader: LEADER, fields: [...FIELDS, ...more] });
/** Each character is a byte, and leader/09 says UTF-8. */
const ofBytes = (...fields: readonly (typeof FIELDS)[number][]) => {
  const title = data('245', '10', 'aTh\xc3\xa9r\xc3\xa8se Raquin : roman');
  const bytes = encodeSample({ leader: LEADER, fields: [FIELDS[0]!, title, ...fields] }, ' ');
  bytes.write('a', 9);
  return bytes;
};
const GOOD = encode();

const SLIM = 'xmlns="http://www.loc.gov/MARC21/slim"';
const xml = (...elements: readonly string[]) =>
  `<collection ${SLIM}><record><leader>00000nam a2200000 a 4500</leader><controlfield tag="001">77</controlfield>` +
  '<datafield tag="245" ind1="0" ind2="0"><subfield code="a">A title /</subfield></datafield>' +
  `${elements.join('')}</record></collection>`;
const item = (text: string) =>
  `<datafield tag="952" ind1=" " ind2=" "><subfield code="o">${text}</subfield></datafield>`;

/** As a text editor or a transfer leaves a file of MARC21: bytes are replaced one by one. */
const edited = (bytes: Buffer, change: (text: string) => string) =>
  Buffer.from(change(bytes.toString('latin1')), 'latin1');

/** MARC::Record before version 2 counts the characters of a field, and writes its bytes. */
function countedInCharacters(): Buffer {
  const texts = GOOD.toString('utf8').split('\x1e').slice(1, -1);
  let start = 0;
  const directory = texts.map((text, at) => {
    const length = [...text].length + 1;
    const entry = `${FIELDS[at]!.tag}${String(length).padStart(4, '0')}${String(start).padStart(5, '0')}`;
    start += length;
    return entry;
  });
  const base = 25 + 12 * texts.length;
  const leader = `${String(base + start + 1).padStart(5, '0')}nam a22${String(base).padStart(5, '0')} a 4500`;
  return Buffer.from(`${leader}${directory.join('')}\x1e${texts.join('\x1e')}\x1e\x1d`);
}

/** marc4j, when it may write entries that are too long, puts 9999 in the place of a length. */
function withLengthOf9999(): Buffer {
  const long = encode(data('505', '0 ', `a${'Contents. '.repeat(1_500)}`), data('650', ' 0', 'aFrance.'));
  return edited(long, (text) => text.replace(/505\d{4}(?=\d)/, '5059999').replace(/(505\d{9})\d(?=650)/, '$1'));
}

const TRUNCATED = gzipSync(GOOD).subarray(0, -4);

/** What other programs and people leave, by the bytes that they are known to write. */
const BY_RULE: Readonly<Record<string, readonly [Buffer | string, Expected]>> = {
  'a text editor that saves Latin-1 as UTF-8': [
    encodeSample({ leader: LEADER, fields: FIELDS }, ' ').toString('latin1'),
    ['100', 1, undefined, 'lengths-in-characters'],
  ],
  'MARC::Record before version 2, which counts characters': [
    countedInCharacters(),
    ['100', 1, undefined, 'lengths-in-characters'],
  ],
  'a transfer as text, which makes CR LF of line feeds': [
    edited(encode(data('520', '  ', 'aOne line,\nand another.')), (text) => text.replaceAll('\n', '\r\n')),
    ['520', 1, undefined, 'line-ends'],
  ],
  'a download that broke off': [GOOD.subarray(0, -30), [undefined, undefined, undefined, 'cut-off']],
  'a message of the export program': [
    Buffer.concat([GOOD, Buffer.from('ORA-01555: snapshot too old\n')]),
    [undefined, undefined, undefined, 'not-a-record'],
  ],
  'marc4j with a field that is too long': [withLengthOf9999(), ['505', 1, undefined, 'long-field']],
  'ruby-marc with a text that was cut by bytes': [
    ofBytes(data('520', '  ', 'aVoil\xc3'), data('700', '1 ', 'aCort\xc3\xa1zar')),
    ['520', 1, 'a', 'cut-character', '\\xC3'],
  ],
  'MarcEdit, whose mnemonic file had a delimiter without a code': [
    encode(data('650', ' 0', 'aFrance', '')),
    ['650', 1, undefined, 'subfield-code'],
  ],
  'MarcEdit, whose mnemonic file had no delimiter': [
    edited(encode(data('590', '  ', 'aLocal')), (text) => text.replace('\x1faLocal', 'xaLocal')),
    ['590', 1, undefined, 'empty-field'],
  ],
  'a tag of two characters': [
    edited(encode(data('590', '  ', 'aLocal')), (text) => text.replace(/590(?=\d{9}\x1e)/, '59 ')),
    ['59?', 1, undefined, 'tag'],
  ],
  'Alma, of which an id is blank': [xml().replace('>77<', '>  <'), ['001', 1, undefined, 'empty-001']],
  'Koha, with an entity of HTML in an item': [xml(item('Box&nbsp;4')), ['952', 1, 'o', 'entity', '&nbsp;']],
  'Koha, with < in a call number': [xml(item('QA < 76')), [undefined, undefined, undefined, 'malformed-xml']],
  'an export with markup in a note': [xml(item('see <i>here</i>')), ['952', 1, 'o', 'element']],
  'an export with a document type': [
    `<!DOCTYPE collection>${xml()}`,
    [undefined, undefined, undefined, 'document-type'],
  ],
  'a script that leaves out leaders': [
    xml().replace(/<leader>.*<\/leader>/, ''),
    [undefined, undefined, undefined, 'no-leader'],
  ],
  'an edit by hand that left text between fields': [
    xml('oops'),
    [undefined, undefined, undefined, 'text-outside-fields', 'oops'],
  ],
  'a stylesheet that lost the namespace of records': [
    `<collection ${SLIM}>${xml().replace(/^<collection[^>]*><record>/, '<record xmlns="">')}`,
    [undefined, undefined, undefined, 'no-namespace'],
  ],
  'a repeated record': [
    Buffer.concat([GOOD, encode(data('650', ' 0', 'aB')), GOOD]),
    [undefined, undefined, undefined, 'repeated-id'],
  ],
  'a spreadsheet saved as a list in Latin-1': [
    Buffer.from('b1\nb2\nb3\nmü4\n', 'latin1'),
    [undefined, undefined, undefined, 'line-not-utf-8', '\\xFC'],
  ],
  'a gzip that broke off': [TRUNCATED, [undefined, undefined, undefined, 'damaged-package']],
};

/** What pymarc and yaz-marcdump write when they are used wrongly: see pymarc_faults.py. */
const BY_PROGRAMS: Readonly<Record<string, Expected>> = {
  'latin-1.mrc': ['100', 1, 'a', 'latin-1', '\\xC9'],
  'latin-1-blank.mrc': ['100', 1, 'a', 'not-marc-8', '\\xC9'],
  'windows-1252.mrc': ['520', 1, 'a', 'latin-1', '\\x93'],
  'control.mrc': ['500', 2, 'a', 'control-character', '\\x01'],
  'escape.mrc': ['880', 1, 'a', 'marc-8-as-utf-8', '\\x1B'],
  'separator.mrc': ['505', 1, 'a', 'separator-in-text', '\\x1E'],
  'code.mrc': ['650', 1, undefined, 'subfield-code', 'é'],
  'indicators.mrc': ['700', 1, undefined, 'indicators', '1'],
  'no-001.mrc': ['001', undefined, undefined, 'no-001'],
  'blank-001.mrc': ['001', 1, undefined, 'empty-001'],
  'long-field.mrc': ['505', 1, undefined, 'long-field'],
  'noncharacter.mrc': ['500', 2, 'a', 'noncharacter', 'U+FFFE'],
  'control.xml': ['500', 2, 'a', 'xml-character', '\\x02'],
  'yaz-twice.mrc': ['100', 1, 'a', 'double-utf-8', 'Ã\\x89'],
  'yaz-converted-only.mrc': ['100', 1, 'a', 'marc-8-as-utf-8', '\\xE2'],
  'yaz-flag-only.mrc': ['100', 1, 'a', 'marc-8-as-utf-8', '\\xE2'],
  'yaz-latin-1.mrc': ['100', 1, 'a', 'latin-1', '\\xC9'],
  'yaz-latin-1.xml': ['100', 1, 'a', 'xml-not-utf-8', '\\xC9'],
};

/** Words that say nothing to a person who does not know the program. */
const NOT_OF_CATALOGERS = /at byte \d+\b(?! of)|the entry|SyntaxError|undefined|\[object/;

describe('What a cataloguer reads of faults (finding 132)', () => {
  const folder = useTempFolder();

  async function firstErratum(name: string, bytes: Buffer): Promise<Erratum> {
    for await (const file of findRecordFiles({ ...given(bytes), name })) {
      for await (const items of readFile(file)) {
        const erratum = items.map(listedErratum).find((found) => found !== undefined);
        if (erratum !== undefined) return erratum;
      }
    }
    throw new Error(`${name} has no erratum`);
  }

  async function assertFault(name: string, bytes: Buffer, expected: Expected): Promise<void> {
    const erratum = await firstErratum(name, bytes);
    const { field, occurrence, subfield, kind, fault, reason, title } = erratum;
    const found = [field, occurrence, subfield, kind, ...(expected.length === 5 ? [fault] : [])];
    assert.deepEqual(found, expected, `${name}: ${JSON.stringify(erratum)}`);
    assert.doesNotMatch(reason, NOT_OF_CATALOGERS, `${name}: ${reason}`);
    assert.ok(faultWords(kind) !== undefined);
    if (field !== undefined) assert.match(title ?? '', /^(?:Th.*r.*se Raquin : roman|A title|Plain title)/, name);
  }

  for (const [what, [bytes, expected]] of Object.entries(BY_RULE)) {
    it(`has field, occurrence, subfield and kind: ${what}`, async () => {
      const name = what.includes('list') ? 'deleted.txt' : 'a';
      await assertFault(name, Buffer.from(bytes), expected);
    });
  }

  itWithMarcPrograms('is right for what pymarc and yaz-marcdump write when they are used wrongly', async () => {
    await runPython('test/interop/pymarc_faults.py', folder.path);
    const good = folder.at('good.mrc');
    const yaz = async (name: string, ...options: readonly string[]) =>
      folder.write(name, await runYazMarcdump(...options));
    await yaz('yaz-twice.mrc', '-f', 'iso-8859-1', '-t', 'utf-8', '-l', '9=97', '-o', 'marc', good);
    await yaz('yaz-converted-only.mrc', '-f', 'utf-8', '-t', 'marc-8', '-o', 'marc', good);
    await yaz('marc-8.mrc', '-f', 'utf-8', '-t', 'marc-8', '-l', '9=32', '-o', 'marc', good);
    await yaz('yaz-flag-only.mrc', '-l', '9=97', '-o', 'marc', folder.at('marc-8.mrc'));
    await yaz('yaz-latin-1.mrc', '-f', 'utf-8', '-t', 'iso-8859-1', '-o', 'marc', good);
    await yaz('yaz-latin-1.xml', '-o', 'marcxml', folder.at('yaz-latin-1.mrc'));
    for (const [name, expected] of Object.entries(BY_PROGRAMS)) {
      await assertFault(name, readFileSync(folder.at(name)), expected);
    }
    await assert.rejects(firstErratum('good.mrc', readFileSync(good)), /has no erratum/);
    await assert.rejects(firstErratum('marc-8.mrc', readFileSync(folder.at('marc-8.mrc'))), /has no erratum/);
  });
});
