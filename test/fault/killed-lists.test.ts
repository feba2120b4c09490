import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { FAILPOINTS } from '../../src/lib/failpoint.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { until } from '../support/until.ts';
import { Workplace } from '../support/workplace.ts';

const FILES = 12;

describeOnEachStore('keeping a list that is killed', (store, itOnce) => {
  let place: Workplace;
  let files: string;
  beforeEach(async () => {
    place = await Workplace.make(store);
    files = join(place.folder, 'files');
    await mkdir(files);
    for (let at = 0; at < FILES; at++) await writeFile(join(files, `file${at}`), `${at}`);
    await done('sets', 'add', 'maps', '--root', files, '--page-size', '1');
    await done('scan', 'maps');
  });
  afterEach(() => place?.close());

  const lists = 'data/artifacts/_lists/1';
  const stored = () => readdir(join(place.folder, lists)).catch(() => [] as string[]);

  async function done(...args: readonly string[]) {
    const { exitCode, stdout, stderr } = await place.run([...args, '--json']);
    assert.equal(exitCode, 0, stderr);
    return JSON.parse(stdout);
  }

  /** The list that is kept next is whole. */
  async function requireWhole(): Promise<void> {
    const kept = await done('lists', 'keep', 'maps');
    assert.deepEqual([kept.resources, kept.pages], [FILES, FILES]);
    const listed = (await done('lists', 'list', 'maps')).lists;
    assert.deepEqual(
      listed.map(({ at, resources }: { at: string; resources: number }) => [at, resources]),
      [[kept.at, FILES]],
    );
    const [manifest] = (await stored()).filter((name) => name.startsWith(kept.at.replace(/[-:.]/g, ''))).toReversed();
    const { pages } = JSON.parse(await readFile(join(place.folder, lists, manifest!), 'utf8'));
    const entries = await Promise.all(
      pages.map(async ({ name }: { name: string }) =>
        gunzipSync(await readFile(join(place.folder, lists, `${name}.gz`))).toString(),
      ),
    );
    assert.equal(entries.join('').match(/<url>/g)?.length, FILES);
  }

  // Until the catalog names a list, files are written and the store is only read.
  itOnce('shows nothing of it while pages are stored', async () => {
    const running = place.startProcess(['lists', 'keep', 'maps']);
    await until('some pages', async () => (await stored()).length >= 3);
    running.signal('SIGKILL');
    await running.exit();
    if ((await stored()).every((name) => name.endsWith('.gz'))) {
      assert.deepEqual((await done('lists', 'list', 'maps')).lists, []);
    }
    await requireWhole();
  });

  for (const failpoint of FAILPOINTS.listArchive) {
    const test = failpoint === 'lists.recorded' ? it : itOnce;
    test(`shows nothing of it, or all of it: at ${failpoint}`, async () => {
      const env = { TIDEMARK_FAILPOINT: `${failpoint}:kill` };
      assert.equal((await place.runProcess(['lists', 'keep', 'maps'], { env })).exitCode, null);
      assert.deepEqual((await done('lists', 'list', 'maps')).lists, []);
      await requireWhole();
    });
  }

  itOnce('keeps the next list when another program has deleted the files of the last one', async () => {
    await done('lists', 'keep', 'maps');
    await rm(join(place.folder, lists), { recursive: true });
    await writeFile(join(files, 'file0'), 'another');
    await done('scan', 'maps');
    const kept = await done('lists', 'keep', 'maps');
    assert.deepEqual([kept.pages, kept.stored], [FILES, FILES]);
    assert.equal((await done('lists', 'prune', 'maps', '--older-than', '0s')).removed.length, 2);
    assert.deepEqual(await stored(), []);
  });

  itOnce('ends with the set: its files are removed, too', async () => {
    await done('lists', 'keep', 'maps');
    const removed = await place.run(['sets', 'remove', 'maps', '--confirm']);
    assert.match(removed.stderr, new RegExp(`Removed its archive: ${FILES + 1} files`));
    assert.deepEqual(await stored(), []);
  });
});
