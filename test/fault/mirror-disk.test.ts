import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { copyIn, MirroredSource } from '../support/mirrored-source.ts';
import { killTidemarks, runTidemark, startProcess } from '../support/run-tidemark.ts';
import { itOnSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

const AT = '2026-01-01T00:00:00Z';
const LONG = { 'long.bin': 'a long file. '.repeat(1_000_000) };
const MANY = Object.fromEntries(Array.from({ length: 1_800 }, (_, at) => [`${at % 50}/${at}`, 'small '.repeat(1_000)]));
/** A folder of those. */
const NAME = /^\d+$/;

describe('a mirror on a disk', () => {
  let source: MirroredSource;

  beforeEach(async () => {
    source = await MirroredSource.start();
  });

  afterEach(async () => {
    await killTidemarks();
    await source.close();
  });

  const copyOn = (disk: SmallDisk) => join(disk.folder, 'copy');
  const mirror = (disk: SmallDisk) => runTidemark(['mirror', source.url, 'copy'], { cwd: disk.folder });
  const filesOn = (disk: SmallDisk) =>
    readdirSync(copyOn(disk))
      .filter((name) => NAME.test(name))
      .reduce((sum, name) => sum + readdirSync(join(copyOn(disk), name)).length, 0);
  const unfinishedOn = (disk: SmallDisk) => readdirSync(join(copyOn(disk), '.tidemark-mirror/unfinished'));

  for (const [what, files] of Object.entries({ 'a long file': LONG, 'many small files': MANY })) {
    itOnSmallDisk(`says that it is full with ${what}, and goes on when it has room`, 8, async (disk) => {
      source.put(files).list(AT);
      const { stderr, exitCode } = await mirror(disk);
      assert.match(stderr, /^tidemark: .*(cannot be written: the disk is full|cannot grow: the disk is full)/m);
      assert.equal(exitCode, 3);
      await disk.resize(64);
      assert.equal((await mirror(disk)).exitCode, 0);
      assert.deepEqual(copyIn(copyOn(disk)), files);
    });
  }

  itOnSmallDisk('waits until it has room when it follows, and leaves nothing unfinished meanwhile', 8, async (disk) => {
    source.put(MANY).list(AT);
    const following = startProcess(['mirror', source.url, 'copy', '--follow'], { cwd: disk.folder });
    await following.says(/the disk is full/);
    await until('nothing is unfinished', async () => unfinishedOn(disk).length === 0);
    await disk.resize(64);
    await until('all is copied', async () => filesOn(disk) === Object.keys(MANY).length);
    await until('nothing is unfinished', async () => unfinishedOn(disk).length === 0);
    following.signal('SIGINT');
    await following.exit();
    assert.deepEqual(copyIn(copyOn(disk)), MANY);
  });

  itOnSmallDisk('says that it is read-only', 8, async (disk) => {
    source.put({ 'a.txt': 'a' }).list(AT);
    assert.equal((await mirror(disk)).exitCode, 0);
    await disk.makeReadOnly();
    const { stderr, exitCode } = await mirror(disk);
    assert.match(stderr, /^tidemark: .*cannot be written: the file system is read-only/m);
    assert.equal(exitCode, 3);
  });
});
