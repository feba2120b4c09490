import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeOnEachStore } from '../support/each-store.ts';
import { until } from '../support/until.ts';
import { Workplace } from '../support/workplace.ts';
import { testWithUnzip } from '../support/zip-programs.ts';

const FILES = 60;

describeOnEachStore('a build of a dump that is killed', (store) => {
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

  it('publishes nothing of it; the next build publishes all, and every package is whole', async () => {
    const files = join(place.folder, 'files');
    await mkdir(files);
    for (let at = 0; at < FILES; at++) await writeFile(join(files, `${at}`), Buffer.alloc(20_000, `${at}`));
    await place.run(['sets', 'add', 'maps', '--root', files, '--page-size', '1']);
    await done('scan', 'maps');
    for (const made of [1, 20]) {
      const running = place.startProcess(['dumps', 'build', 'maps']);
      await until(`${made} packages`, async () => (await finished()).length >= made);
      running.signal('SIGKILL');
      await running.exit();
      const listed = await place.run(['dumps', 'list', 'maps']);
      assert.match(listed.stderr, /has no Resource Dump/);
    }

    const built = await done('dumps', 'build', 'maps');
    assert.deepEqual([built.resources, built.missing], [FILES, 0]);
    const { packages: all } = await done('dumps', 'list', 'maps');
    for (const { name } of all) await testWithUnzip(join(place.folder, packages, `${name}.zip`));
  });
});
