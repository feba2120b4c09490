import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createWriteStream, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip, gzipSync } from 'node:zlib';
import { SEND } from '../../src/records/forms/foreign-forms.ts';
import { jsonLines } from '../support/json-lines.ts';
import { encodeSample } from '../support/marc-records.ts';
import { PRINTING_MEMORY } from '../support/prints-memory.ts';
import { killTidemarks, runProcess, runTidemark } from '../support/run-tidemark.ts';
import { useTempFolder } from '../support/temp-folder.ts';
import { marc } from '../support/upload-packages.ts';

const RECORDS = Buffer.concat([marc('1'), marc('2'), marc('3')]);
/** A record without an id between two others. */
const FAULTY = Buffer.concat([marc('1'), marc(' '), marc('2')]);
const MARCXML = `<collection xmlns="http://www.loc.gov/MARC21/slim"><record><leader>00000dam a2200000   4500</leader>
<controlfield tag="001">9</controlfield></record></collection>`;

describe('tidemark uploads check', () => {
  const folder = useTempFolder();
  afterEach(killTidemarks);

  const check = (...words: readonly string[]) => runTidemark(['uploads', 'check', ...words], { cwd: folder.path });
  const pack = (program: string, ...words: readonly string[]) => execFileSync(program, words, { cwd: folder.path });

  it('shows what each file is taken for, whatever its name, with its records and deletions', async () => {
    folder.write('nightly.txt', RECORDS);
    folder.write('gone.mrc', '1\r\n2\r\n');
    folder.write('changes.delete', MARCXML);
    const { stdout, exitCode } = await check('nightly.txt', 'gone.mrc', 'changes.delete');
    assert.equal(
      stdout,
      `FILE            TYPE           RECORDS  DELETIONS  ERRORS
nightly.txt     MARC21               3          0       0
gone.mrc        ids to delete        0          2       0
changes.delete  MARCXML              0          1       0

Of 3 files, an upload would take over 3 records and 3 deletions.
`,
    );
    assert.equal(exitCode, 0);
  });

  it('is content with an empty collection of MARCXML', async () => {
    folder.write('nightly.xml', '<collection xmlns="http://www.loc.gov/MARC21/slim"/>');
    const { stdout, exitCode } = await check('nightly.xml');
    assert.match(stdout, /\nnightly\.xml +MARCXML +0 +0 +0\n/);
    assert.equal(exitCode, 0);
  });

  it('takes an empty list of deletions for one, and is content with it', async () => {
    folder.write('nightly.delete', '');
    folder.write('deletes.txt', '\n');
    const { stdout, exitCode } = await check('nightly.delete', 'deletes.txt');
    assert.match(stdout, /\nnightly\.delete +ids to delete +0 +0 +0\ndeletes\.txt +ids to delete +0 +0 +0\n/);
    assert.match(stdout, /would take over 0 records and 0 deletions\.\n$/);
    assert.equal(exitCode, 0);
  });

  it('opens packages as tar, gzip and zip make them, in each other, too', async () => {
    folder.write('in/a.mrc', RECORDS);
    folder.write('in/gone.del', '7\n');
    folder.write(`in/${'long/'.repeat(30)}ü.xml`, MARCXML);
    pack('gzip', '--keep', 'in/a.mrc');
    for (const format of ['v7', 'oldgnu', 'gnu', 'ustar', 'posix']) {
      pack(
        'tar',
        '--create',
        `--format=${format}`,
        '--file',
        `${format}.tar`,
        'in/a.mrc',
        'in/gone.del',
        'in/a.mrc.gz',
      );
    }
    pack('tar', '--create', '--gzip', '--file', 'all.tgz', 'in');
    pack('zip', '--quiet', '--recurse-paths', 'all.zip', 'in', 'gnu.tar');
    pack('zip', '--quiet', '-0', 'stored.zip', 'all.tgz', 'gnu.tar');
    const found = async (...files: readonly string[]) => {
      const { stdout, exitCode } = await check(...files, '--json');
      assert.equal(exitCode, 0, stdout);
      const lines = jsonLines(stdout);
      return lines.map(({ path, kind, packing, records, deletions }) =>
        [path.slice(1).join(' > '), kind, packing.join(), records, deletions].join(' '),
      );
    };
    const plain = ['in/a.mrc marc21 tar 3 0', 'in/gone.del deleted-ids tar 0 1', 'in/a.mrc.gz marc21 tar,gzip 3 0'];
    for (const format of ['v7', 'oldgnu', 'gnu', 'ustar', 'posix']) {
      assert.deepEqual(await found(`${format}.tar`), plain, format);
    }
    const all = [`in/${'long/'.repeat(30)}ü.xml`, 'in/a.mrc', 'in/a.mrc.gz', 'in/gone.del'].toSorted();
    const names = async (file: string) => (await found(file)).map((line) => line.replace(/ [\w-]+ [\w,]+ \d \d$/, ''));
    assert.deepEqual((await names('all.tgz')).toSorted(), all);
    const zipped = [...all, 'gnu.tar > in/a.mrc', 'gnu.tar > in/gone.del', 'gnu.tar > in/a.mrc.gz'].toSorted();
    assert.deepEqual((await names('all.zip')).toSorted(), zipped);
    assert.equal((await names('stored.zip')).length, all.length + 3);
  });

  it('warns of records that would be taken over otherwise than they are, and exits with 0', async () => {
    folder.write('night.mrc', Buffer.concat([marc('1', 'old'), marc('2'), marc('1', 'new')]));
    const { stdout, exitCode } = await check('night.mrc', '--errors', 'errors.ndjson');
    assert.equal(exitCode, 0);
    assert.match(
      stdout,
      /\nTaken over with a warning in night\.mrc:\n {2}1 time: an id that came before.*\n.*\n.*\n {4}record 3 \(1\)\n {6}the file has/,
    );
    assert.match(stdout, /would take over 3 records and 0 deletions\. 1 record would have a warning\.\n$/);
    const { id, warning } = JSON.parse(readFileSync(folder.at('errors.ndjson'), 'utf8'));
    assert.deepEqual([id, warning], ['1', true]);
  });

  it('says what would not be taken over, and why, and exits with 1', async () => {
    folder.write('faulty.mrc', FAULTY);
    folder.write('in/report.pdf', '%PDF-1.7');
    folder.write('in/a.mrc', RECORDS);
    pack('zip', '--quiet', '--password', 'x', 'secret.zip', 'in/a.mrc');
    pack('tar', '--create', '--file', 'all.tar', 'in', 'secret.zip');
    const { stdout, exitCode } = await check('faulty.mrc', 'all.tar');
    assert.equal(exitCode, 1);
    const rest = stdout.slice(stdout.indexOf('\n\n') + 2);
    const [unknown, errors, sums] = rest.split('\n\n');
    const secret = '  all.tar > secret.zip > in/a.mrc\n    it is encrypted: pack it without a password';
    const report = `  all.tar > in/report.pdf\n    it is a PDF: ${SEND}`;
    assert.equal(unknown, `Not taken over:\n${report}\n${secret}`);
    assert.match(
      errors!,
      /^Errors in faulty\.mrc:\n {2}1 time: 001: no id.*\n {4}Likely cause: .*\n {4}What to do: .*\n {4}record 2\n {6}field 001 is empty.*$/,
    );
    assert.equal(
      sums,
      'Of 4 files, an upload would take over 5 records and 0 deletions, but not 1 error and 2 files of unknown type.\n',
    );
  });

  it('prints what docs/streams.md shows (finding 132)', async () => {
    const title = (id: string, text: string) => {
      const fields = [
        { tag: '001', value: id },
        { tag: '245', indicators: '10', subfields: [{ code: 'a', value: text }] },
      ];
      return encodeSample({ leader: '00000nam a2200000 a 4500', fields }, ' ');
    };
    const latin1 = (id: string, text: string) => {
      const bytes = title(id, text);
      bytes.write('a', 9);
      return bytes;
    };
    const faulty = [latin1('ocm00123456', 'Général de Gaulle'), latin1('ocm00123470', 'Le château')];
    folder.write('nightly.mrc', Buffer.concat([title('ocm00123400', 'Plain'), ...faulty, marc('ocm00123499')]));
    folder.write('deleted.txt', 'ocm00000007\nocm00000008\nocm00000009\n');
    folder.write('a/changes.xml', MARCXML);
    folder.write('README.pdf', '%PDF-1.7');
    pack('zip', '--quiet', 'export.zip', 'a/changes.xml', 'README.pdf');
    const page = readFileSync(join(import.meta.dirname, '../../docs/streams.md'), 'utf8');
    const [, words = '', shown] = /tidemark uploads check (.*)\n```\n\n```\n(FILE[^`]*)```/.exec(page) ?? [];
    assert.equal((await check(...words.split(' '))).stdout, shown);
  });

  it('shows the first errors of a file, and writes all of them into a file', async () => {
    folder.write('faulty.mrc', Buffer.concat(Array.from({ length: 25 }, () => FAULTY)));
    folder.write('empty', '');
    const { stdout } = await check('faulty.mrc', 'empty', '--errors', 'errors.ndjson');
    assert.match(stdout, /\n {4}record 8\n.+\n {4}… and 22 more\n/);
    const lines = readFileSync(folder.at('errors.ndjson'), 'utf8').trim().split('\n');
    const errors = lines.map((line) => JSON.parse(line)).filter(({ warning }) => !warning);
    assert.deepEqual(errors.at(-1), { path: ['empty'], reason: 'it is empty' });
    assert.deepEqual(
      errors.slice(0, -1).map(({ path, ordinal, offset }) => [path[0], ordinal, offset]),
      Array.from({ length: 25 }, (_, at) => ['faulty.mrc', at * 3 + 2, at * 120 + 40]),
    );
    const [faulty] = (await check('faulty.mrc', '--json')).stdout.split('\n').map((line) => line && JSON.parse(line));
    assert.deepEqual([faulty.records, faulty.errors, faulty.firstErrors.length], [50, 25, 10]);
  });

  it('writes what it read as MARCXML and lists of ids, which read the same again', async () => {
    folder.write('in/a.mrc', FAULTY);
    folder.write('in/gone', '7\n8\n');
    folder.write('in/none.pdf', '%PDF-');
    folder.write('in/odd name.xml', MARCXML);
    pack('tar', '--create', '--sort=name', '--file', 'all.tar', 'in');
    await check('all.tar', '--normalized', 'normalized');
    const names = readdirSync(folder.at('normalized')).toSorted();
    assert.deepEqual(names, ['0001-a.mrc.xml', '0002-gone.deleted.txt', '0004-odd_name.xml.deleted.txt']);
    const { stdout, exitCode } = await check(...names.map((name) => `normalized/${name}`), '--json');
    assert.equal(exitCode, 0);
    const files = jsonLines(stdout);
    assert.deepEqual(
      files.map(({ records, deletions }) => [records, deletions]),
      [
        [2, 0],
        [0, 2],
        [0, 1],
      ],
    );
    const again = await check('all.tar', '--normalized', 'normalized');
    assert.match(again.stderr, /0001-a\.mrc\.xml cannot be written: it exists already/);
    assert.equal(again.exitCode, 2);
  });

  it('says of what it wrote that it is not all of a file', async () => {
    folder.write('whole.xml', MARCXML);
    folder.write('cut.xml', MARCXML.replace('00000dam', '00000nam').replace('</collection>', '<record>'));
    folder.write('faulty.mrc', Buffer.concat([FAULTY, FAULTY]));
    const { stderr, exitCode } = await check('whole.xml', 'cut.xml', 'faulty.mrc', '--normalized', 'normalized');
    assert.equal(exitCode, 1);
    const [cut, faulty, ...others] = stderr.trim().split('\n');
    assert.match(
      cut!,
      /^What was written of cut\.xml is not all of it: the error is in record 2: .*; nothing behind this place is read\.$/,
    );
    assert.match(faulty!, /^What was written of faulty\.mrc is not all of it: of 2 errors, the last is in record 5: /);
    assert.deepEqual(others, []);
  });

  it('needs files that can be read', async () => {
    folder.write('in/a.mrc', RECORDS);
    const failed = async (...words: readonly string[]) => {
      const { exitCode, stderr, stdout } = await check(...words);
      assert.deepEqual([exitCode, stdout], [2, '']);
      return stderr;
    };
    assert.match(await failed('in/a.mrc', 'missing.mrc'), /missing\.mrc cannot be read: it does not exist/);
    assert.match(await failed('in'), /in is not a file: name the files in it, or pack it/);
    assert.match(await failed(), /missing required argument 'file'/);
    assert.match(
      await failed('in/a.mrc', '--errors', 'no/folder'),
      /no\/folder cannot be written: its folder does not exist/,
    );
  });

  it('executes nothing that a name in a package has for a terminal', async () => {
    folder.write('a', RECORDS);
    pack('tar', '--create', '--file', 'a.tar', '--transform', 's,a,x\u001b[2Jy,', 'a');
    const { stdout } = await check('a.tar');
    assert.ok(!stdout.includes('\u001b'), JSON.stringify(stdout));
    assert.match(stdout, /a\.tar > x\ufffd\[2Jy/);
  });

  it('reads what unpacks to much more than its memory', async () => {
    const note = 'x'.repeat(9000);
    const hundred = Buffer.concat(Array.from({ length: 100 }, (_, id) => marc(String(id), note)));
    const times = 300;
    const records = function* () {
      for (let at = 0; at < times; at++) yield hundred;
    };
    await pipeline(records, createGzip({ level: 1 }), createWriteStream(folder.at('large.mrc.gz')));
    folder.write(
      'line.gz',
      gzipSync(Buffer.concat([Buffer.from('1\n2\n'), Buffer.alloc(260_000_000, '3')]), { level: 1 }),
    );
    const { stdout, stderr } = await runProcess(['uploads', 'check', 'large.mrc.gz', 'line.gz', '--json'], {
      cwd: folder.path,
      env: PRINTING_MEMORY,
    });
    const [large, line] = stdout.split('\n').map((each) => each && JSON.parse(each));
    assert.equal(large?.records, 100 * times, stderr);
    assert.deepEqual(
      [line.deletions, line.firstErrors[0].reason],
      [2, 'the line has 260000000 bytes: a line has one id'],
    );
    // Kilobytes.
    assert.ok(Number(stderr) < 250_000, stderr);
  });
});
