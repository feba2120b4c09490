import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { SQLITE } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import type { RunningTidemark } from '../support/run-tidemark.ts';
import { until } from '../support/until.ts';
import { marc } from '../support/upload-packages.ts';
import { Workplace } from '../support/workplace.ts';

const SIZE = String.raw`\d[\d.]* (?:B|kB|KB)`;

describe('dumps of streams on the command line', () => {
  let place: Workplace;
  let serving: RunningTidemark | undefined;
  let server: string;

  beforeEach(async () => {
    place = await Workplace.make(SQLITE);
    const port = String(await findFreePort());
    server = `http://localhost:${port}`;
    await done('organizations', 'add', 'lane', '--port', port);
    await done('streams', 'add', 'lane', 'main');
    await done('streams', 'add', 'lane', 'test');
    serving = place.start(['serve', '--port', port, '--access-log', 'false']);
    await serving.says(/Serving \d+ sets/);
  });
  afterEach(async () => {
    serving?.signal('SIGTERM');
    await serving?.exit();
    serving = undefined;
    await place.close();
  });

  const done = async (...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await place.run(args);
    assert.equal(exitCode, 0, stderr);
    return stdout;
  };
  const shown = async (...args: readonly string[]) => JSON.parse(await done(...args, '--json'));
  const fails = async (args: readonly string[], message: RegExp) => {
    const { exitCode, stderr } = await place.run(args);
    assert.match(stderr, message);
    assert.equal(exitCode, 2);
  };
  const upload = async (stream: string, files: Readonly<Record<string, string | Buffer>>) => {
    for (const [name, bytes] of Object.entries(files)) await writeFile(join(place.folder, name), bytes);
    const { number } = await shown('upload', 'lane', ...Object.keys(files), '--stream', stream);
    await done('uploads', 'show', `lane/${stream}/${number}`, '--wait');
  };

  it('are made and listed, with the files that can be fetched', async () => {
    assert.equal(await done('streams', 'dumps', 'lane', '--stream', 'test'), 'There is no dump.\n');
    await upload('test', { 'full.mrc': Buffer.concat([marc('1'), marc('2'), marc('3')]) });
    const dump = ['streams', 'dump', 'lane', '--stream', 'test'];
    assert.match(await done(...dump), new RegExp(`^lane/test: full dump 1: 3 records, 2 files, ${SIZE}\\.\n$`));
    assert.equal(
      await done(...dump, '--delta'),
      'lane/test: Nothing has changed since the last dump: none was made.\n',
    );
    await upload('test', { 'new.mrc': Buffer.concat([marc('1', 'new'), Buffer.from('no record')]), 'gone.del': '3\n' });
    assert.match(
      await done(...dump, '--full'),
      new RegExp(
        `^lane/test: delta 2: 1 record, 1 deletion, 1 erratum, 4 files, ${SIZE}\\.\n` +
          `full dump 3: 2 records, 1 erratum, 3 files, ${SIZE}\\.\n$`,
      ),
    );

    const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d`;
    assert.match(
      await done('streams', 'dumps', 'lane', '--stream', 'test'),
      new RegExp(
        '^NUMBER +KIND +MADE \\(UTC\\) +RECORDS +DELETIONS +ERRATA +BYTES\n' +
          ` +1 +full +${time} +3 +0 +0 +\\d+\n +2 +delta +${time} +1 +1 +1 +\\d+\n +3 +full +${time} +2 +0 +1 +\\d+\n$`,
      ),
    );
    const view = await shown('streams', 'dumps', 'lane', '--stream', 'test');
    assert.deepEqual([view.organization, view.stream, view.dumps.length], ['lane', 'test', 3]);
    const [first, delta] = view.dumps;
    assert.equal(first.after, undefined);
    assert.deepEqual([delta.number, delta.kind, delta.after], [2, 'delta', first.until]);
    assert.deepEqual(delta.totals, { records: 1, deletions: 1, errata: 1 });
    const day = delta.at.slice(0, 10);
    const endings = ['marc21.mrc.gz', 'marcxml.xml.gz', 'deletes.del.txt', 'errata.ndjson.gz'];
    assert.deepEqual(
      delta.files.map(({ name }: { name: string }) => name),
      endings.map((ending) => `lane--test-${day}-delta-${ending}`),
    );
    const [{ uri, length, sha256, type }] = await until('its files have addresses', async () => {
      const { files } = (await shown('streams', 'dumps', 'lane', '--stream', 'test')).dumps[1];
      return files[0].uri !== undefined && files;
    });
    assert.equal(uri, `${server}/sets/lane--test.dumps/resources/000000002/${delta.files[0].name}`);
    const response = await fetch(uri);
    assert.equal(response.status, 200, 'an address that is named answers');
    const bytes = Buffer.from(await response.arrayBuffer());
    assert.deepEqual([bytes.length, createHash('sha256').update(bytes).digest('hex')], [length, sha256]);
    assert.equal(type, 'application/gzip');
    assert.deepEqual(gunzipSync(bytes), marc('1', 'new'));

    await upload('test', { 'more.mrc': marc('4') });
    const made = await shown(...dump);
    assert.deepEqual([made.organization, made.stream, made.dumps.length], ['lane', 'test', 1]);
    assert.deepEqual([made.dumps[0].number, made.dumps[0].totals.records], [4, 1]);
    assert.deepEqual((await shown(...dump)).dumps, []);
    assert.deepEqual((await shown('streams', 'dumps', 'lane')).dumps, []);
  });

  it('have settings of their organization and stream, which are shown, changed and removed', async () => {
    const change = ['streams', 'change', 'lane', 'test'];
    assert.equal(
      await done(...change, '--delta', '0 5 * * *', '--title', 'Tests'),
      'Changed the stream test of lane.\n',
    );
    assert.match(
      await done('streams', 'show', 'lane', 'test'),
      /\nfull dumps: when asked for, 2 are kept; deltas: 0 5 \* \* \*\n$/,
    );
    const changed = await shown(...change, '--full-dump', '0 3 1 * *', '--keep-dumps', '3');
    assert.deepEqual([changed.organization, changed.title], ['lane', 'Tests']);
    assert.deepEqual(changed.dumps, { full: '0 3 1 * *', delta: '0 5 * * *', keep: 3 });
    const without = await shown(...change, '--delta', '', '--title', '');
    assert.deepEqual([without.title, without.dumps], [undefined, { full: '0 3 1 * *', keep: 3 }]);

    const organization = await shown('organizations', 'change', 'lane', '--delta', '* * * * *');
    assert.deepEqual(organization.dumps, { delta: '* * * * *', keep: 2 });
    assert.deepEqual((await shown('streams', 'show', 'lane', 'main')).dumps, undefined);
  });

  it('are refused with what is wrong', async () => {
    await fails(['streams', 'dump', 'lane', '--full', '--delta'], /give --full or --delta, not both/);
    await fails(['streams', 'dump', 'lame'], /there is no organization "lame": did you mean "lane"\?/);
    await fails(['streams', 'dump', 'lane', '--stream', 'tset'], /has no stream "tset": did you mean "test"\?/);
    await fails(['streams', 'dumps', 'lame'], /there is no organization "lame": did you mean "lane"\?/);
    await fails(['streams', 'dumps', 'lane', '--stream', 'tset'], /has no stream "tset": did you mean "test"\?/);
    const change = ['streams', 'change', 'lane', 'test'];
    await fails(change, /give something to change: --title TEXT, --full-dump CRON, --delta CRON/);
    await fails([...change, '--delta', 'daily'], /"daily" is neither a schedule for dumps nor off/);
    await fails(
      [...change, '--delta', '61 5 * * *'],
      /is neither a schedule for dumps nor off: Invalid value for minute: 61/,
    );
    await fails([...change, '--keep-dumps', '0'], /--keep-dumps/);
    await fails(['streams', 'change', 'lane', 'tset', '--title', 'x'], /has no stream "tset": did you mean "test"\?/);
  });
});
