import assert from 'node:assert/strict';
import { findRecordFiles } from '../../../../src/records/forms/identify.ts';
import { given, marc } from '../../../support/upload-packages.ts';

const SLIM = 'http://www.loc.gov/MARC21/slim';
const MARCXML = `<collection xmlns="${SLIM}"><record/></collection>`;

/** The kind of a file, and why it is unknown. */
async function kindOf(content: string | Buffer, name = 'given'): Promise<string> {
  const found: string[] = [];
  for await (const { kind, reason } of findRecordFiles({ ...given(Buffer.from(content), 1000), name })) {
    found.push(reason === undefined ? kind : `${kind}: ${reason}`);
  }
  assert.equal(found.length, 1);
  return found[0]!;
}

const utf16le = (text: string) => Buffer.from(text, 'utf16le');

describe('kinds of files', () => {
  it('identifies MARC21, whatever is wrong with its records', async () => {
    const record = marc('1');
    const edited = (edit: (bytes: Buffer) => void) => {
      const bytes = Buffer.from(record);
      edit(bytes);
      return bytes;
    };
    const long = Buffer.concat([record.subarray(0, 24), Buffer.from('001000200000'.repeat(6000))]);
    long.write('72025', 12);
    const files = {
      record,
      'line ends': Buffer.concat([Buffer.from('\r\n'), record, Buffer.from('\r\n'), record]),
      'a byte order mark': Buffer.concat([Buffer.from('\ufeff'), record]),
      'a wrong length': edited((bytes) => bytes.write('99999')),
      'a wrong base address alone': edited((bytes) => bytes.write('00040', 12)),
      'a first record that is none': Buffer.concat([edited((bytes) => bytes.fill('x', 0, 24)), record]),
      'a leader that is too short': Buffer.concat([record.subarray(0, 7), record.subarray(9)]),
      'a directory that is too short': Buffer.concat([record.subarray(0, 24), record.subarray(27)]),
      'a length of blanks': edited((bytes) => bytes.write('     ')),
      'a record that breaks off': record.subarray(0, 38),
      'a directory that breaks off': record.subarray(0, 36),
      'a directory longer than what is read of it': long,
      'no fields': '00026     2200025   4500\x1e\x1d',
    };
    for (const [what, bytes] of Object.entries(files)) assert.equal(await kindOf(bytes), 'marc21', what);
  });

  it('identifies MARCXML by its first element, in whatever encoding and after whatever comes before', async () => {
    const declared = `<?xml version="1.0" encoding="UTF-16"?>${MARCXML}`;
    const doctype = '<!DOCTYPE collection [<!ELEMENT collection ANY><!ENTITY a "<x>">]>';
    const files = [
      MARCXML,
      `\ufeff<?xml version="1.0" encoding="UTF-8"?>\n<!-- <record> -->\n<?style a?>${doctype}\n${MARCXML}`,
      `\n ${MARCXML}`,
      `<marc:record xmlns:marc="${SLIM}"/>`,
      `<!--${'x'.repeat(200_000)}-->${MARCXML}`,
      Buffer.concat([Buffer.from([0xff, 0xfe]), utf16le(declared)]),
      Buffer.concat([Buffer.from([0xfe, 0xff]), utf16le(declared).swap16()]),
      utf16le(declared),
      utf16le(declared).swap16(),
      '<?xml version="1.0" encoding="ISO-8859-1"?>'.concat(MARCXML),
    ];
    for (const content of files) assert.equal(await kindOf(content), 'marcxml', content.toString().slice(0, 80));
  });

  it('says why XML is not MARCXML', async () => {
    const has = `MARCXML has xmlns="${SLIM}"`;
    const files = {
      '<collection><record/></collection>': `its first element is <collection> without a namespace: ${has}`,
      '<record xmlns="urn:x"/>': `its first element is <record> of the namespace urn:x: ${has}`,
      '<OAI-PMH/>': `its first element is <OAI-PMH>: MARCXML has <collection> or <record>, with xmlns="${SLIM}"`,
      '<a': 'it is XML without an element in its first 1048576 bytes',
      '<collection xmlns="a" xmlns="a">': 'it begins as XML, but is not well-formed: 1:32: duplicate attribute: xmlns',
      '< MARC': 'it begins as XML, but is not well-formed: 1:2: disallowed character in tag name',
    };
    for (const [content, reason] of Object.entries(files)) assert.equal(await kindOf(content), `unknown: ${reason}`);
  });

  it('identifies a list of ids to delete', async () => {
    const files = [
      '0001234567890123456789012345\r\n0001234567890123456789012346\r\n',
      '\ufeffocm1\n\n  ocm2  \n',
      'x1\rx2\rx3\r',
      'x1\r\nx2\r\n\u001a',
      'n  79021164\nsh 85012345\n',
      "(OCoLC)1\nüñí\no'1\n'2\n",
      `one\ntwo\n${'3'.repeat(300)}\n`,
      Array.from({ length: 20_000 }, (_, id) => `in0000${id}`).join('\n'),
    ];
    for (const content of files) assert.equal(await kindOf(content), 'deleted-ids', content.slice(0, 40));
  });

  it('takes one word for a list only by its name: a failed download leaves one, too', async () => {
    for (const word of ['Error', '502\n', '\ufeffhello\r\n\u001a']) {
      assert.match(await kindOf(word), /^unknown: it has one line, .* name the file so, as in ids\.del\.txt$/);
      assert.equal(await kindOf(word, 'x.del.txt.gz'), 'deleted-ids');
    }
  });

  it('identifies a list without ids by its name', async () => {
    const names = [
      'x.delete',
      'deletes.txt',
      'DELETED_ids.txt',
      '2026-02-03.del.txt.gz',
      'deletions/monday',
      'del2.mrc',
    ];
    for (const name of names) {
      for (const content of ['', ' \r\n\n', '\ufeff', '\u001a']) {
        assert.equal(await kindOf(content, name), 'deleted-ids', name);
      }
      assert.equal(await kindOf(marc('1'), name), 'marc21');
      assert.match(await kindOf('\0', name), /^unknown: /);
    }
    for (const name of ['x.mrc', 'ids.txt', 'delta.txt', 'model.xml', 'undeleted', 'delegates']) {
      assert.equal(await kindOf('', name), 'unknown: it is empty');
      assert.equal(await kindOf('\n', name), 'unknown: it has nothing but blanks');
    }
  });

  it('says what else a text is', async () => {
    const files = {
      'Please find the records in the other file.\n':
        'not a list of ids, one a line: it has "Please find the records in',
      'id,title\n1,"Maps"\n': 'not a list of ids, one a line: it has "id,title"',
      "'x1'\n'x2'\n": 'not a list of ids, one a line: it has "\'x1\'"',
      '{"records": [1]}': 'JSON: send MARC21',
      '=LDR  00026     2200025   4500\n=001  1\n': 'MARC as text, as MarcEdit writes it: save it as MARC21',
      [`${'1'.repeat(100_000)}`]: 'not a list of ids, one a line: it has "1111',
    };
    for (const [content, reason] of Object.entries(files)) {
      assert.ok((await kindOf(content)).startsWith(`unknown: it is ${reason}`), await kindOf(content));
    }
    assert.equal(await kindOf(' \n\r\n'), 'unknown: it has nothing but blanks');
    const latin1 = Buffer.from('\xfc\n\xe4\n', 'latin1');
    assert.equal(
      await kindOf(latin1),
      'unknown: it is not a list of ids, one a line: it has the bytes fc 0a e4 0a, which is not UTF-8',
    );
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), utf16le('1\n2\n')]);
    assert.equal(await kindOf(utf16), 'unknown: it is text in UTF-16: save it as UTF-8');
  });

  it('says what a file is that is neither MARC nor text', async () => {
    const files: readonly (readonly [string, string])[] = [
      ['', 'it is empty'],
      ['%PDF-1.7\n%âãÏÓ', 'it is a PDF: send MARC21, MARCXML, OAI-PMH, dbInsert of NSDL, or a list of ids to delete'],
      ['BZh91AY', 'it is packed with bzip2: pack it with gzip, tar or ZIP'],
      ['\x28\xb5\x2f\xfdabc', 'it is packed with Zstandard: pack it with gzip, tar or ZIP'],
      ['\0\0\0\x0cabc', 'it is neither MARC nor OAI-PMH nor text: it begins with the bytes 00 00 00 0c 61 62 63'],
      [
        '\0'.repeat(100_000),
        'it is neither MARC nor OAI-PMH nor text: it begins with the bytes 00 00 00 00 00 00 00 00',
      ],
    ];
    for (const [content, reason] of files) {
      assert.equal(await kindOf(Buffer.from(content, 'latin1')), `unknown: ${reason}`);
    }
  });
});
