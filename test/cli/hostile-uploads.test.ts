import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { truncateSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { killTidemarks, runTidemark } from '../support/run-tidemark.ts';
import { useTempFolder } from '../support/temp-folder.ts';
import { marc, tar } from '../support/upload-packages.ts';

const NAMESPACE = 'xmlns="http://www.loc.gov/MARC21/slim"';
const xml = (attributes: string) => `<collection ${attributes}><record><leader>00000nam a2200000   4500</leader>
<controlfield tag="001">ü9</controlfield></record></collection>`;
const utf16 = (text: string) => Buffer.from(`\ufeff<?xml version="1.0" encoding="UTF-16"?>${text}`, 'utf16le');
const EMPTY_MEMBER = gzipSync('');

/** By name: the file; then what it is taken for, with records, deletions and errors, and why it is not taken over. */
const FILES: Readonly<Record<string, readonly [string | Buffer, ...(readonly string[])]>> = {
  'digits.mrc': ['1\n22\n333\n', 'deleted-ids 0 3 0'],
  'records.txt': [marc('1'), 'marc21 1 0 0'],
  'changes.delete': [xml(NAMESPACE), 'marcxml 1 0 0'],
  'utf16.xml': [utf16(xml(NAMESPACE)), 'marcxml 1 0 0'],
  'no-namespace.xml': [
    xml(''),
    'unknown 0 0 0',
    'without a namespace: MARCXML has xmlns="http://www.loc.gov/MARC21/slim"',
  ],
  'other-namespace.mrc': [xml('xmlns="urn:x"'), 'unknown 0 0 0', 'of the namespace urn:x: MARCXML has'],
  'failed-download.txt': ['Error\n', 'unknown 0 0 0', 'it has one line, which is no list of deletions'],
  'one.del.txt': ['Error\n', 'deleted-ids 0 1 0'],
  'scan.mrc': ['%PDF-1.7\n', 'unknown 0 0 0', 'it is a PDF'],
  'empty.xml': ['', 'unknown 0 0 0', 'it is empty'],
  'twice.gz': [gzipSync(gzipSync(marc('1'))), 'marc21 1 0 0'],
  'five-times.gz': [[1, 2, 3, 4, 5].reduce((bytes) => gzipSync(bytes), marc('1')), 'unknown 0 0 0', 'package'],
  // A program that reads them as a number takes a time that grows with the square of their count.
  'line-feeds.tar': [
    tar({ odd: { type: 'x', text: `${'\n'.repeat(1_000_000)}1 ` }, 'a.mrc': marc('1') }),
    'marc21 1 0 0',
  ],
  'members.gz': [
    Buffer.alloc(10_001 * EMPTY_MEMBER.length, EMPTY_MEMBER),
    'unknown 0 0 0',
    'it has more than 10,000 tiny members: pack it as one',
  ],
  'up.tar': [tar({ '../../up.mrc': marc('1') }), 'marc21 1 0 0'],
  'entities.xml': [
    `<!DOCTYPE c [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>${xml(NAMESPACE).replace('ü9', '&b;')}`,
    'marcxml 0 0 1',
    'the XML has a document type (DOCTYPE)',
  ],
  'file.xml': [
    `<!DOCTYPE c [<!ENTITY a SYSTEM "file:///etc/hostname">]>${xml(NAMESPACE).replace('ü9', '&a;')}`,
    'marcxml 0 0 1',
    'the XML has a document type (DOCTYPE)',
  ],
};

describe('files that are not what they seem', () => {
  const folder = useTempFolder();
  afterEach(killTidemarks);

  const check = async (...files: readonly string[]) => {
    const { stdout, stderr } = await runTidemark(['uploads', 'check', ...files, '--json'], { cwd: folder.path });
    assert.equal(stderr, '');
    const lines = stdout.trim().split('\n');
    return lines.map((line) => JSON.parse(line));
  };

  it('are taken for what they have, or not taken over, with the reason', async () => {
    for (const [name, [content]] of Object.entries(FILES)) folder.write(name, content);
    const read = await check(...Object.keys(FILES));
    assert.equal(read.length, Object.keys(FILES).length);
    for (const { path, kind, records, deletions, errors, reason, firstErrors } of read) {
      const [, summary, why] = FILES[path[0]]!;
      assert.equal(`${kind} ${records} ${deletions} ${errors}`, summary, path[0]);
      const said = reason ?? firstErrors?.[0]?.reason;
      if (why === undefined) assert.equal(said, undefined, path[0]);
      else assert.ok(said.includes(why), `${path[0]}: ${said}`);
    }
    assert.deepEqual(
      read.find(({ path }) => path[0] === 'up.tar').path,
      ['up.tar', 'up.mrc'],
      'no name leads out of its package',
    );
  });

  it('are read no further when they unpack to what is meant to do harm', async () => {
    const bomb = folder.at('bomb.mrc');
    writeFileSync(bomb, marc('1'));
    truncateSync(bomb, 400_000_000);
    const pack = (program: string, ...words: readonly string[]) => execFileSync(program, words, { cwd: folder.path });
    pack('zip', '--quiet', 'bomb.zip', 'bomb.mrc');
    pack('gzip', '-9', 'bomb.mrc');
    pack('tar', '--create', '--file', 'bomb.tar', 'bomb.mrc.gz');
    for (const name of ['bomb.zip', 'bomb.tar']) {
      const found = await check(name);
      assert.equal(found[0].records, 1, name);
      const reasons = found.flatMap(({ reason, firstErrors = [] }) => [
        reason,
        ...firstErrors.map((error: { readonly reason: string }) => error.reason),
      ]);
      assert.match(reasons.join('; '), /it unpacks to more than 500 times its size/, name);
    }
  });
});
