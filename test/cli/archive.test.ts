import assert from 'node:assert/strict';
import { SetRegistry } from '../../src/sets/set-registry.ts';
import { openStores } from '../../src/stores/open-stores.ts';
import { collect, upsert } from '../support/builders.ts';
import { describeOnEachArtifactStore } from '../support/each-artifact-store.ts';
import { findFreePort } from '../support/free-port.ts';
import { runTidemark, startProcess } from '../support/run-tidemark.ts';
import { useTempFolder } from '../support/temp-folder.ts';

describeOnEachArtifactStore('archive and rebuild', (place) => {
  const folder = useTempFolder();

  const environment = (data: string) => ({
    TIDEMARK_DATA: folder.at(data),
    TIDEMARK_ARTIFACTS: place.text,
    ...place.environment,
  });
  const run = (data: string, ...args: readonly string[]) =>
    runTidemark([...args, '--json'], { cwd: folder.path, env: environment(data) });
  const runs = async (data: string, ...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await run(data, ...args);
    assert.equal(exitCode, 0, stderr);
    return JSON.parse(stdout);
  };
  const open = (data: string) => openStores({ kind: 'sqlite', file: folder.at(`${data}/tidemark.db`) });
  const post = async (paths: readonly string[]) => {
    const { index, catalog, close } = await open('old');
    const { id } = await new SetRegistry(catalog, index).bySlug('maps');
    await index.commit(paths.map((path) => upsert(id, path)));
    await close();
  };

  it('rebuild a store on the command line', async () => {
    await runs('old', 'sets', 'add', 'maps', '--url-prefix', 'http://example.org/');
    await post(['a', 'b']);
    const first = await runs('old', 'archive');
    assert.deepEqual([first.status, first.segment, first.changes, first.total], ['written', 1, 2, 2]);
    await post(['c']);
    const second = await runs('old', 'archive', '--drop');
    assert.deepEqual([second.segment, second.changes, second.dropped, second.archive], [2, 1, 0, first.archive]);
    assert.equal((await runs('old', 'archive')).status, 'nothing-new');

    const made = await runs('new', 'rebuild');
    assert.deepEqual([made.archive, made.changes, made.renewed], [first.archive, 3, false]);
    const stores = [await open('old'), await open('new')] as const;
    const [old, now] = await Promise.all(stores.map(({ index }) => collect(index.log({ after: 0 }))));
    for (const { close } of stores) await close();
    assert.deepEqual(now, old);
  });

  it('report what is wrong, and make no store', async () => {
    const nothing = await run('new', 'rebuild');
    assert.equal(nothing.exitCode, 2);
    assert.match(nothing.stderr, /there is no archive of a log in /);
    const missing = await run('old', 'archive');
    assert.equal(missing.exitCode, 2);
    assert.match(missing.stderr, /there is no store/);

    await runs('old', 'sets', 'add', 'maps', '--url-prefix', 'http://example.org/');
    await runs('old', 'archive');
    const taken = await run('old', 'rebuild');
    assert.equal(taken.exitCode, 2);
    assert.match(taken.stderr, /is not empty/);
    const unknown = await run('new', 'rebuild', '--from', '20200101_000000-00000000');
    assert.equal(unknown.exitCode, 2);
    assert.match(unknown.stderr, /has no archive /);
  });

  it('run by themselves in a server', async () => {
    await runs('old', 'sets', 'add', 'maps', '--url-prefix', 'http://example.org/');
    const server = startProcess(
      ['serve', '--base-url', 'http://localhost:8080', '--port', String(await findFreePort())],
      {
        cwd: folder.path,
        env: { ...environment('old'), TIDEMARK_ARCHIVE: '200ms' },
      },
    );
    try {
      await server.says(/did the job archive-log/);
      await post(['a', 'b', 'c']);
      await server.says(/"changes":3,.*did the job archive-log/);
    } finally {
      server.signal('SIGTERM');
      await server.exit();
    }
    assert.equal((await runs('new', 'rebuild')).changes, 3);
  });
});
