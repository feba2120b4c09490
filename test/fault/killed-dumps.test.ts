import assert from 'node:assert/strict';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FAILPOINTS } from '../../src/lib/failpoint.ts';
import { describeOnEachStore, SQLITE } from '../support/each-store.ts';
import { untilStopped } from '../support/fault-source.ts';
import { LONG_AGO } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { Workplace } from '../support/workplace.ts';
import { testFolderWithUnzip } from '../support/zip-programs.ts';

const FILES = 150;

describeOnEachStore('a build of a dump that is killed', (store, itOnce) => {
  let place: Workplace;
  beforeEach(async () => {
    place = await Workplace.make(store);
  });
  afterEach(() => place?.close());

  const packages = 'data/artifacts/_dumps/1';
  const finished = () => readdir(join(place.folder, packages)).catch(() => [] as string[]);

  async function done(...args: readonly string[]) {
    const { exitCode, stdout, stderr } = await place.run([...args, '--json']);
    assert.equal(exitCode, 0, stderr);
    return JSON.parse(stdout);
  }

  // Until the catalog names packages, files are written and the store is only read.
  itOnce('publishes nothing of it; the next build publishes all, and every package is whole', async () => {
    const files = join(place.folder, 'files');
    await mkdir(files);
    for (let at = 0; at < FILES; at++) await writeFile(join(files, `${at}`), Buffer.alloc(20_000, `${at}`));
    await place.run(['sets', 'add', 'maps', '--root', files, '--page-size', '1']);
    await done('scan', 'maps');
    const running = place.startProcess(['dumps', 'build', 'maps']);
    await until('some packages', async () => (await finished()).length >= 8, 5);
    running.signal('SIGKILL');
    await running.exit();
    const listed = await place.run(['dumps', 'list', 'maps']);
    assert.match(listed.stderr, /has no Resource Dump/);

    const built = await done('dumps', 'build', 'maps');
    assert.deepEqual([built.resources, built.missing], [FILES, 0]);
    const { packages: all } = await done('dumps', 'list', 'maps');
    const stored = await finished();
    for (const { name } of all) assert.ok(stored.includes(`${name}.zip`), name);
    await testFolderWithUnzip(join(place.folder, packages));
  });

  for (const failpoint of FAILPOINTS.changeDump) {
    const test = failpoint === 'changes.recorded' ? it : itOnce;
    test(`names no package of changes that is not whole, and loses none: at ${failpoint}`, async () => {
      const files = join(place.folder, 'files');
      await mkdir(files);
      const writeAll = async (version: number): Promise<void> => {
        for (let at = 0; at < 10; at++) {
          await writeFile(join(files, `${at}`), `${at} in version ${version}`);
          await utimes(join(files, `${at}`), LONG_AGO + version, LONG_AGO + version);
        }
        await done('scan', 'maps');
      };
      await done('sets', 'add', 'maps', '--root', files, '--keep-versions', '--window-size', '4');
      await writeAll(1);
      const folder = join(place.folder, 'data/artifacts/_change-dumps/1');
      const names = async () => (await readdir(folder).catch(() => [] as string[])).map((name) => name.slice(0, -4));
      const kill = async (pass: number): Promise<void> => {
        const env = { TIDEMARK_FAILPOINT: `${failpoint}:kill@${pass}` };
        assert.equal((await place.runProcess(['dumps', 'build', 'maps'], { env })).exitCode, null);
      };
      /** What is published is whole. */
      const listed = async () => {
        const dump = (await done('dumps', 'list', 'maps')).changeDump;
        const stored = new Set(await names());
        for (const { name } of dump?.packages ?? []) assert.ok(stored.has(name));
        await testFolderWithUnzip(folder);
        return dump;
      };

      await kill(1);
      // The second window is packed meanwhile.
      assert.match(String((await names()).length), /^[12]$/);
      assert.equal(await listed(), undefined);
      await done('dumps', 'build', 'maps');
      const first = await listed();
      assert.deepEqual([first.totals.windows, first.totals.changes], [2, 8]);
      await writeAll(2);
      await kill(2);
      const meanwhile = await listed();
      assert.equal(meanwhile.from, first.from);
      assert.equal(meanwhile.totals.windows, failpoint === 'changes.packed' ? 3 : 4);

      for (const name of await names()) await utimes(join(folder, `${name}.zip`), LONG_AGO, LONG_AGO);
      await done('dumps', 'build', 'maps');
      const { from, totals, packages } = await listed();
      assert.deepEqual([from, totals.windows, totals.changes], [first.from, 4, 16]);
      assert.deepEqual(
        (await names()).toSorted(),
        packages.map(({ name }: { name: string }) => name),
      );
    });
  }
});

describe('a dump that is removed while it is built', () => {
  let place: Workplace;
  beforeEach(async () => {
    place = await Workplace.make(SQLITE);
  });
  afterEach(() => place?.close());

  for (const failpoint of ['dump.published', 'changes.recorded'] as const) {
    it(`is named by no document, removed at ${failpoint}; the build says so`, async () => {
      const files = join(place.folder, 'files');
      await mkdir(files);
      for (let at = 0; at < 4; at++) await writeFile(join(files, `${at}`), `${at}`);
      await place.run(['sets', 'add', 'maps', '--root', files, '--window-size', '2', '--keep-versions']);
      await place.run(['scan', 'maps']);
      const env = { TIDEMARK_FAILPOINT: `${failpoint}:stop` };
      const building = place.startProcess(['dumps', 'build', 'maps'], { env });
      await untilStopped({ process: building });
      assert.equal((await place.run(['dumps', 'remove', 'maps'])).exitCode, 0);
      building.signal('SIGCONT');
      assert.equal(await building.exit(), 2, building.stderr);
      assert.match(building.stderr, /ump of "maps" was removed while it was built/);
      const { stdout } = await place.run(['sets', 'show', 'maps', '--json']);
      assert.doesNotMatch(stdout, /resourcedump|changedump/);
      assert.equal((await place.run(['dumps', 'build', 'maps'])).exitCode, 0);
      assert.match((await place.run(['sets', 'show', 'maps', '--json'])).stdout, /resourcedump.*changedump/s);
    });
  }
});
