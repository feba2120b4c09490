import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readdirSync, symlinkSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { startActivityBar } from '../../src/cli/ui/activity-bar.ts';
import { Terminal } from '../../src/cli/ui/terminal.ts';
import { PRINTING_MEMORY } from '../support/prints-memory.ts';
import { killTidemarks, runProcess, startProcess } from '../support/run-tidemark.ts';
import { useTempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

describe('an activity in a process of its own', () => {
  const folder = useTempFolder();
  afterEach(killTidemarks);

  it('leaves nothing that is listed when Ctrl-C stops it, and ends with 1', async () => {
    const running = startProcess(['activity', 'run', 'harvest', 'cdl', '--from', '-'], {
      cwd: folder.path,
      input: '{"id":"a","document":"<a/>","mimetype":"application/xml"}\n',
      leaveInputOpen: true,
    });
    const harvests = folder.at('data/artifacts/cdl/harvest');
    await until('the claim', async () => {
      return existsSync(harvests) && readdirSync(harvests, { recursive: true }).join().includes('-claim.json');
    });

    running.signal('SIGINT');

    assert.equal(await running.exit(), 1, running.stderr);
    assert.match(running.stderr, /stopped before it was complete/);
    assert.equal(running.stdout, '');
    const left = readdirSync(harvests, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    assert.deepEqual(
      left.map(({ name }) => name.replace(/^.*v1/, '')),
      ['-claim.json'],
    );
    assert.deepEqual(readdirSync(folder.at('data/spool')), []);
  });

  it('harvests the documents of a folder, and reports how many files and links are none', async () => {
    folder.write('docs/maps/1.xml', '<a/>');
    folder.write('docs/2.ttl', '');
    folder.write('docs/README.txt');
    symlinkSync('maps', folder.at('docs/link'));

    const args = ['activity', 'run', 'harvest', 'cdl', '--from', 'docs', '--json'];
    const { exitCode, stdout } = await runProcess(args, { cwd: folder.path });

    const { written, passedOver, passedOverLinks, generator } = JSON.parse(stdout);
    assert.deepEqual([exitCode, written, passedOver, passedOverLinks], [0, 2, 1, 1]);
    const { stderr } = await runProcess(args.slice(0, -1), { cwd: folder.path });
    assert.match(stderr, /1 file passed over: .*\n1 link passed over: to no file in the folder/);
    assert.match(generator, /^file:\/\/\/.*\/docs$/);
  });

  it('holds the errata of its records on disk, also when nearly all of them are left out @long', async () => {
    const id = 'x'.repeat(1_000);
    for (const record of [
      { id, document: '<a/>', mimetype: 'application/xml' },
      { id, deleted: true },
    ]) {
      const lines = `${JSON.stringify(record)}\n`.repeat(500);
      for (let written = 0; written < 150; written++) appendFileSync(folder.at('records.ndjson'), lines);

      const args = ['activity', 'run', 'harvest', 'cdl', '--from', 'records.ndjson', '--json'];
      const { stdout, stderr } = await runProcess(args, { cwd: folder.path, env: PRINTING_MEMORY });

      const { written, deleted, duplicates } = JSON.parse(stdout);
      assert.deepEqual([written + deleted, duplicates], [1, 74_999]);
      // Kilobytes. The errata are 75 MB.
      assert.ok(Number(stderr.trim().split('\n').at(-1)) < 250_000, stderr);
      folder.remove('records.ndjson');
    }
  });
});

describe('the bar of an activity', () => {
  it('shows on a terminal how many records were read, how fast, and how long the rest takes', async () => {
    const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 120 });
    const terminal = new Terminal({ stdin: new PassThrough(), stdout: new PassThrough(), stderr }, false);
    const bar = startActivityBar(terminal);

    bar.update({ step: 'reading', attempted: 0, done: 0, total: 4000 });
    await wait(150);
    bar.update({ step: 'reading', attempted: 1000, done: 1000, total: 4000 });
    await wait(150);
    bar.update({ step: 'writing', attempted: 1000, done: 2048, total: 4096 });
    bar.end();

    const shown = stderr.read().toString();
    // As long as it takes by what it has taken: longer on a machine that had other things to do.
    assert.match(shown, /reading .*1,000 records, [\d,]+\/s, \d+:\d\d left/);
    assert.match(shown, /writing .*2\.05 kB of 4\.10 kB, .*\/s, \d+:\d\d left/);
  });
});
