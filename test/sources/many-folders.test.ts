import assert from 'node:assert/strict';
import { readFileSync, truncateSync } from 'node:fs';
import type { App } from '../../src/app.ts';
import { SyncLoops } from '../../src/cli/serving/sync-loops.ts';
import type { ResourceSet } from '../../src/core/resource-set.ts';
import { originOfRoot } from '../../src/core/stored-set.ts';
import type { ContentRoot, RootWatch } from '../../src/sources/content-root.ts';
import { openRoot } from '../../src/sources/open-contents.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeApps, startApp } from '../support/start-app.ts';
import { useTempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const SETS = 100;
/** One that watches, one that walks, two that hash, and two for long files. */
const THREADS = 6;
/** Bytes of a file without contents: a thread takes some tenths of a second to hash it. */
const LONG = 120_000_000;

describe('many folders', () => {
  const folder = useTempFolder();
  let loops: SyncLoops | undefined;

  afterEach(async () => {
    await loops?.stop();
    loops = undefined;
    await closeApps();
  });

  const addSets = (app: App): Promise<readonly ResourceSet[]> =>
    Promise.all(
      Array.from({ length: SETS }, (_, number) => {
        folder.write(`sets/${number}/a`);
        return app.sets.add({ slug: `set-${number}`, origin: originOfRoot(folder.at(`sets/${number}`)) });
      }),
    );

  it('share a few threads in a process, which notices the changes of each', async () => {
    const { app } = await startApp(SQLITE);
    const sets = await addSets(app);
    const before = threadsNow();
    loops = new SyncLoops(app, { eventsOf: () => ({}) });
    await loops.start();
    assert.ok((await Promise.all(sets.map(({ id }) => loops!.ready(id)))).every((isReady) => isReady));
    assert.ok(threadsNow() <= before + THREADS, `${threadsNow()} threads, ${before} before`);

    for (const number of sets.keys()) folder.write(`sets/${number}/b`);
    const resources = async () =>
      (await Promise.all(sets.map(({ id }) => app.index.summary(id)))).map((one) => one.resources);
    await until('all changes', async () => (await resources()).every((count) => count === 2));
    assert.ok(threadsNow() <= before + THREADS, `${threadsNow()} threads, ${before} before`);
  });

  describe('of a disk', () => {
    let one: ContentRoot;
    let other: ContentRoot;
    const watches: RootWatch[] = [];

    beforeEach(() => {
      for (const name of ['one', 'other']) {
        folder.write(`${name}/small`);
        for (const file of ['long', 'long2', 'long3']) {
          folder.write(`${name}/${file}`);
          truncateSync(folder.at(`${name}/${file}`), LONG);
        }
      }
      one = openRoot({ root: folder.at('one'), exclude: [] });
      other = openRoot({ root: folder.at('other'), exclude: [] });
    });
    afterEach(async () => {
      for (const watch of watches.splice(0)) await watch.close();
    });

    it('are hashed although the hashing of another one is aborted', async () => {
      const aborting = new AbortController();
      const { signal } = aborting;
      const aborted = Promise.allSettled(
        ['long', 'long2', 'long3'].map((path) => one.digest(path, { signal, length: LONG })),
      );
      const hashed = Promise.all(['long', 'long2'].map((path) => other.digest(path, { length: LONG })));
      setTimeout(() => aborting.abort(new Error('stopped')), 50);
      for (const result of await aborted) assert.equal(result.status, 'rejected');
      assert.deepEqual(
        (await hashed).map(({ length }) => length),
        [LONG, LONG],
      );
    });

    it('do not wait for the long files of another one, nor for it to be stopped', async () => {
      const aborting = new AbortController();
      const { signal } = aborting;
      let areLongHashed = false;
      // So many that a small one behind them would come last.
      const paths = Array.from({ length: 4 }, () => ['long', 'long2', 'long3']).flat();
      const long = Promise.all(paths.map((path) => other.digest(path, { length: LONG }))).then(() => {
        areLongHashed = true;
      });
      const waiting = assert.rejects(one.digest('long', { signal, length: LONG }), /stopped/);
      await one.digest('small', { length: 5 });
      aborting.abort(new Error('stopped'));
      await waiting;
      assert.equal(areLongHashed, false);
      await long;
    });

    it('are tried again more rarely when many are missing', async () => {
      const missing = Array.from({ length: 400 }, (_, at) =>
        openRoot({ root: folder.at(`missing/${at}`), exclude: [] }),
      );
      const ignore = () => {};
      const tried = missing.map((root) => assert.rejects(root.watch(ignore, ignore), { code: 'unavailable' }));
      await Promise.all(tried);
      assert.equal(missing[0]!.longestRetryMs, 2_000);
      for (const at of missing.keys()) folder.write(`missing/${at}/a`);
      await Promise.all(missing.map(async (root) => watches.push(await root.watch(ignore, ignore))));
      assert.equal(missing[0]!.longestRetryMs, 1_000);
    });

    it('are watched on when another one is closed, and when another one vanishes', async () => {
      const noticed: string[] = [];
      const watch = async (root: ContentRoot, name: string) => {
        const watching = await root.watch(
          (path) => noticed.push(`${name} ${path}`),
          ({ path, problem }) => noticed.push(`${name} ${path}: ${problem}`),
        );
        watches.push(watching);
        return watching;
      };
      const closed = await watch(one, 'closed');
      await watch(one, 'one');
      await watch(other, 'other');
      await closed.close();
      folder.write('one/b');
      await until('a change', async () => noticed.includes('one b'));
      folder.remove('one');
      await until('a problem', async () => noticed.some((line) => line.startsWith('one : ')));
      folder.write('other/c');
      await until('another change', async () => noticed.includes('other c'));
      assert.deepEqual(
        noticed.filter((line) => line.startsWith('closed')),
        [],
      );
    });
  });
});

function threadsNow(): number {
  return Number(/^Threads:\s+(\d+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))![1]);
}
