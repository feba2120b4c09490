import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { findRecordFiles } from '../../../../src/records/forms/identify.ts';
import { readFile } from '../../../../src/records/forms/read-file.ts';
import { given, marc, tar } from '../../../support/upload-packages.ts';

const SLIM = 'http://www.loc.gov/MARC21/slim';

/** Each item of all files: its kind, its id, and of an erratum the reason. */
async function read(bytes: Buffer): Promise<string[]> {
  const items: string[] = [];
  for await (const file of findRecordFiles(given(bytes))) {
    for await (const batch of readFile(file)) {
      assert.ok(batch.length > 0);
      for (const item of batch) {
        const what = item.kind === 'erratum' ? `${item.ordinal} at ${item.offset}: ${item.reason}` : item.id;
        items.push(`${item.kind} ${what}`);
      }
    }
  }
  return items;
}

const xml = (title: string, encoding = 'UTF-8') => `<?xml version="1.0" encoding="${encoding}"?>
<collection xmlns="${SLIM}"><record><leader>00000nam a2200000   4500</leader>
<controlfield tag="001">${title}</controlfield></record></collection>`;

describe('records of a file', () => {
  it('are those of its kind', async () => {
    assert.deepEqual(await read(Buffer.concat([marc('1'), marc('2')])), ['record 1', 'record 2']);
    assert.deepEqual(await read(Buffer.from('1\n2\n')), ['deletion 1', 'deletion 2']);
    assert.deepEqual(await read(Buffer.from(xml('x1'))), ['record x1']);
    assert.deepEqual(await read(Buffer.from('%PDF-')), []);
  });

  it('are those of MARCXML in any encoding that it declares', async () => {
    const utf16 = Buffer.from(`\ufeff${xml('ü𝒳', 'UTF-16')}`, 'utf16le');
    for (const bytes of [utf16, Buffer.from(utf16).swap16(), utf16.subarray(2)]) {
      assert.deepEqual(await read(gzipSync(bytes)), ['record ü𝒳']);
    }
    assert.deepEqual(await read(Buffer.from(xml('ü', 'ISO-8859-1'), 'latin1')), ['record ü']);
    // Some programs declare the encoding of their text in memory.
    for (const mark of ['', '\ufeff']) {
      assert.deepEqual(await read(Buffer.from(mark + xml('ü𝒳', 'utf-16'))), ['record ü𝒳']);
    }
    const [erratum] = await read(utf16.subarray(0, -1));
    assert.equal(erratum, 'record ü𝒳');
    const broken = Buffer.from(utf16);
    broken.writeUInt16LE(0xd800, broken.length - 10);
    assert.match(
      (await read(broken)).at(-1)!,
      /^erratum \d+ at \d+: it has bytes that are not UTF-16LE, its encoding: save it as UTF-8$/,
    );
    const files: string[] = [];
    for await (const { reason } of findRecordFiles(given(Buffer.from(xml('1', 'EBCDIC-X'))))) files.push(reason!);
    assert.deepEqual(files, ['it is XML in the encoding EBCDIC-X, which is not known here: save it as UTF-8']);
  });

  it('are read in a time that grows with the file, whatever its declaration', async () => {
    const declaration = `<?xml version="1.0"${' '.repeat(200_000)}?>`;
    const bytes = Buffer.from(xml('1', 'UTF-16').replace(/<\?xml.*\?>/, declaration), 'utf16le');
    assert.deepEqual(await read(bytes), ['record 1']);
  }).timeout(15_000);

  it('have a warning when their id came before in the file', async () => {
    const file = Buffer.concat([marc('1', 'old'), marc('2'), marc('3'), marc('1', 'new')]);
    const warnings: unknown[] = [];
    for await (const found of findRecordFiles(given(file))) {
      for await (const batch of readFile(found))
        warnings.push(...batch.map((item) => 'warning' in item && item.warning));
    }
    assert.deepEqual(warnings, [
      ...[false, false, false],
      'the file has the id "1" more than once: of records with one id, the last counts',
    ]);
  });

  it('are read up to the damage of a package, which is the last erratum', async () => {
    const records = Buffer.concat([marc('1'), marc('2'), marc('3')]);
    const cut = tar({ a: records }).subarray(0, 512 + 90);
    const items = await read(cut);
    assert.deepEqual(items.slice(0, 2), ['record 1', 'record 2']);
    assert.match(items[2]!, /^erratum 3 at 80: /);
    assert.equal(items.at(-1), 'erratum 4 at 90: it breaks off: it ends early, at byte 602 of the tar');
    const packed = gzipSync(records);
    assert.deepEqual((await read(Buffer.concat([packed, Buffer.from('x')]))).slice(0, 3), [
      'record 1',
      'record 2',
      'record 3',
    ]);
  });
});
