import assert from 'node:assert/strict';
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isTidemarkError } from '../../src/core/errors.ts';
import { originOfRoot } from '../../src/core/stored-set.ts';
import { ask } from '../support/ask.ts';
import { describeOnEachStore, SQLITE } from '../support/each-store.ts';
import { itOnSmallDisk } from '../support/small-disk.ts';
import { closeApps, makeFolder, type StartedApp, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';
import { requireWholeDump, scan } from '../support/whole-dump.ts';
import { Workplace } from '../support/workplace.ts';
import { testFolderWithUnzip } from '../support/zip-programs.ts';

const KB = 1024;

describe('a build of a dump', () => {
  let root: string;
  afterEach(closeApps);

  async function start(settings: Parameters<typeof startApp>[1], location?: string): Promise<StartedApp> {
    const started = await startApp(SQLITE, settings);
    root = await makeFolder(started, 'files');
    for (let at = 0; at < 12; at++) await writeFile(join(root, `${at}`), Buffer.alloc(100 * KB, `${at} `));
    const set = { slug: 'maps', origin: originOfRoot(location ?? root), pageEntries: 2 };
    await started.app.sets.add({ ...set, dumpCompression: 'none' });
    await scan(started);
    return started;
  }

  itOnSmallDisk('fails when the disk of the artifacts is full, and leaves nothing of it', 4, async (disk) => {
    const folder = join(disk.folder, 'artifacts');
    const started = await start({ artifacts: { kind: 'folder', folder } });
    const { dumps } = started.app.publishing;
    const first = await dumps.build('maps', {});
    const stored = async () =>
      (await readdir(folder, { recursive: true })).filter((name) => /[^/]{30,}$/.test(name)).sort();
    const before = await stored();
    await writeFile(join(root, '3'), Buffer.alloc(100 * KB, 'changed '));
    await scan(started);

    await disk.fill(60 * KB);
    await assert.rejects(
      dumps.build('maps', {}),
      (error) => isTidemarkError(error, 'unavailable') && /disk is full/.test(error.message),
    );
    assert.deepEqual(await stored(), before);
    assert.equal((await requireWholeDump(started)).at, first.at);

    await disk.empty();
    const built = await dumps.build('maps', {});
    assert.deepEqual([built.made, built.at > first.at], [1, true]);
    await requireWholeDump(started);
  });

  it('fails when its root vanishes meanwhile; the next one goes on', async () => {
    const started = await start({});
    const { dumps } = started.app.publishing;
    const { artifacts } = started.app;
    for (let at = 100; at < 260; at++) await writeFile(join(root, `${at}`), `${at}`);
    await scan(started);
    const { id } = await started.app.sets.bySlug('maps');
    const building = dumps.build('maps', {}).then(
      () => assert.fail('it was built'),
      (error) => assert.ok(isTidemarkError(error, 'unavailable'), error),
    );
    await until('a package', async () => (await artifacts.objects(`_dumps/${id}/`)).length > 0);
    await rename(root, `${root}-elsewhere`);
    await building;
    assert.equal((await ask(`${started.url}/sets/maps/resourcedump.xml`)).status, 404);
    await rename(`${root}-elsewhere`, root);
    const built = await dumps.build('maps', {});
    assert.ok(built.made > 0 && built.made < built.packages.length, `made ${built.made}`);
    assert.deepEqual(
      built.packages.map(({ missing }) => missing),
      built.packages.map(() => 0),
    );
    await requireWholeDump(started);
  });

  it('has each file as it was at one time, while all of them change', async () => {
    const started = await start({});
    let changing = true;
    const change = async () => {
      for (let at = 0; changing; at = (at + 1) % 12) {
        await writeFile(join(root, `${at}`), Buffer.alloc(300 * KB, `${Math.random()} `));
        if (at % 4 === 3) await scan(started);
      }
    };
    const changes = change();
    for (let builds = 0; builds < 3; builds++) {
      await started.app.publishing.dumps.build('maps', {}).catch((error: unknown) => {
        // More than a tenth of a page cannot be read as it is listed, or pages change faster than they are planned.
        assert.ok(isTidemarkError(error, 'unavailable') || isTidemarkError(error, 'not-ready'), String(error));
      });
    }
    changing = false;
    await changes;
    await scan(started);
    const built = await started.app.publishing.dumps.build('maps', {});
    assert.ok(built.packages.every(({ missing }) => missing === 0));
    await requireWholeDump(started);
  });
});

describeOnEachStore('two builds of one dump by two processes', (kind) => {
  let place: Workplace;
  beforeEach(async () => {
    place = await Workplace.make(kind);
  });
  afterEach(() => place?.close());

  it('make one whole dump; the one that is too late says so', async () => {
    const files = join(place.folder, 'files');
    await mkdir(files);
    for (let at = 0; at < 40; at++) await writeFile(join(files, `${at}`), Buffer.alloc(20 * KB, `${at} `));
    await place.run(['sets', 'add', 'maps', '--root', files, '--page-size', '1']);
    await place.run(['scan', 'maps']);
    const runs = [0, 1].map(() => place.startProcess(['dumps', 'build', 'maps']));
    const codes = await Promise.all(runs.map((run) => run.exit()));
    assert.ok(codes.includes(0), runs[0]!.stderr);
    for (const [at, code] of codes.entries()) {
      if (code !== 0)
        assert.match(runs[at]!.stderr, /another process is building the dump of "maps", or has just built it/);
    }
    const { packages } = JSON.parse((await place.run(['dumps', 'list', 'maps', '--json'])).stdout);
    assert.equal(packages.length, 40);
    const folder = join(place.folder, 'data/artifacts/_dumps/1');
    const stored = await readdir(folder);
    for (const { name } of packages) assert.ok(stored.includes(`${name}.zip`), name);
    await testFolderWithUnzip(folder);
  });
});
