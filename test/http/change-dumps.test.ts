import assert from 'node:assert/strict';
import { readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatKey } from '../../src/artifacts/artifact-key.ts';
import { ask } from '../support/ask.ts';
import { readChangeDump } from '../support/change-dump-reader.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { keptVersions, sha256 } from '../support/kept-versions.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { LONG_AGO } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { VersionedSet } from '../support/versioned-set.ts';

describeOnEachStore('A Change Dump', (store, itOnce) => {
  let started: StartedApp;
  /** A set of its own for each test. */
  let maps: VersionedSet;
  let tests = 0;
  before(async () => {
    started = await startApp(store, {}, { packsAlone: true });
  });
  after(closeApps);
  beforeEach(() => {
    maps = new VersionedSet(started, `maps${++tests}`);
  });

  const addSet = (settings: object = {}) => maps.add({ windowChanges: 3, ...settings });
  const setId = async () => (await started.app.sets.bySlug(maps.slug)).id;
  const build = async () => (await started.app.publishing.dumps.build(maps.slug, {})).changes;

  it('has every version of every change of the windows that are closed', async () => {
    await addSet();
    for (const content of ['first', 'second', 'third']) await maps.put('a b.txt', content);
    assert.equal((await build())!.packages.length, 0);
    assert.equal((await ask(`${maps.home}/changedump.xml`)).status, 404);
    assert.doesNotMatch((await ask(`${maps.home}/capabilitylist.xml`)).text, /changedump/);
    await maps.remove('a b.txt');
    await maps.put('a b.txt', 'again');
    assert.deepEqual((await build())!.made, 1);
    for (const content of ['1', '2']) await maps.put('c', content);
    assert.deepEqual((await build())!.made, 1);
    assert.deepEqual((await build())!.made, 0);
    assert.match(
      (await ask(`${maps.home}/capabilitylist.xml`)).text,
      /changedump\.xml<\/loc>\s*<rs:md capability="changedump"/,
    );

    const { from, packages } = (await readChangeDump(maps.home))!;
    assert.deepEqual(
      packages.map(({ changes }) => changes.map(({ name, kind, content }) => [name, kind, content])),
      [
        [
          ['a%20b.txt', 'created', 'first'],
          ['a%20b.txt', 'updated', 'second'],
          ['a%20b.txt', 'updated', 'third'],
        ],
        [
          ['a%20b.txt', 'deleted', undefined],
          ['a%20b.txt', 'created', 'again'],
          ['c', 'created', '1'],
        ],
      ],
    );
    assert.deepEqual(
      packages.map(({ names }) => names),
      [4, 3],
    );
    assert.equal(packages[0]!.from, from);
    assert.equal(packages[1]!.from, packages[0]!.until);
    for (const { from: begins, until, changes } of packages) {
      for (const { datetime } of changes) assert.ok(begins < datetime && datetime < until);
    }
    // It says the same as the Change List.
    const list = await ask(`${maps.home}/changelist-1-00000001.xml`);
    for (const { datetime } of packages[0]!.changes) assert.ok(list.text.includes(`datetime="${datetime}"`));
  });

  itOnce('packs a window into several packages when it is too large', async () => {
    await addSet({ dumpPackageBytes: 200, dumpCompression: 'none' });
    for (const content of ['1', '2', '3', '4']) await maps.put('a', content.repeat(150));
    assert.equal((await build())!.made, 3);
    const { packages } = (await readChangeDump(maps.home))!;
    assert.deepEqual(
      packages.map(({ changes }) => changes.length),
      [1, 1, 1],
    );
    for (const at of [1, 2]) assert.equal(packages[at]!.from, packages[at - 1]!.until);
  });

  itOnce('counts manifest and directory: no package of several changes is larger than the setting', async () => {
    const files = Array.from({ length: 150 }, (_, at): [string, string] => [`${at}`, `${at}`]);
    const most = 10_000;
    await addSet({ windowChanges: files.length + 30, dumpPackageBytes: most });
    await maps.putAll(files);
    for (const [name] of files.slice(0, 40)) await rm(join(maps.folder, name));
    await maps.scan();
    const { packages } = (await build())!;
    const changes = packages.reduce((sum, one) => sum + one.changes, 0);
    assert.deepEqual([changes, packages.filter(({ length }) => length > most)], [files.length + 30, []]);
    assert.ok(
      packages.slice(0, -1).every(({ length }) => length > most / 3),
      JSON.stringify(packages),
    );
  });

  itOnce('has each of many versions once, also around a large one', async () => {
    // So many that both threads pack.
    const files = Array.from({ length: 120 }, (_, at): [string, string] => {
      const name = `${at}`.padStart(3, '0');
      return [name, `${name} `.repeat(4_000)];
    });
    files.push(['060-large', 'large '.repeat(50_000)]);
    await addSet({ windowChanges: files.length, dumpPackageBytes: 900_000 });
    await maps.putAll(files);
    await maps.put('last', 'in the next window');
    assert.equal((await build())!.made, 3);
    const found = (await readChangeDump(maps.home))!.packages.flatMap(({ changes }) => changes);
    assert.deepEqual(Object.fromEntries(found.map(({ name, content }) => [name, content])), Object.fromEntries(files));
    assert.equal(found.length, files.length);
  });

  itOnce('begins where every version is kept, and begins anew behind one that is lost', async () => {
    await addSet({ keepVersions: false });
    for (const content of ['1', '2', '3', '4']) await maps.put('a', content);
    assert.equal(await build(), undefined);
    await started.app.sets.change(maps.slug, { keepVersions: true });
    await maps.scan();
    for (const content of ['5', '6', '7']) await maps.put('a', content);
    await build();
    const contents = async () =>
      (await readChangeDump(maps.home))!.packages.flatMap(({ changes }) => changes.map(({ content }) => content));
    // The second window has the changes 4 to 6; 4 was made before.
    assert.deepEqual(await contents(), ['5', '6']);

    await maps.put('a', '8');
    const lost = (await keptVersions(started.app.artifacts, await setId())).find(
      ({ digest }) => digest === sha256('8'),
    );
    await started.app.artifacts.delete(lost!.key);
    for (const content of ['9', '10', '11', '12', '13']) await maps.put('a', content);
    const { made, packages, lost: missing } = (await build())!;
    assert.deepEqual(await contents(), ['10', '11', '12']);
    assert.deepEqual([made, packages.length], [1, 1]);
    assert.deepEqual(missing, { window: '1-00000003', until: packages[0]!.from, dropped: 1 });
  });

  itOnce('begins anew behind a version whose pack was cut off, which is not found either', async () => {
    await addSet();
    for (const content of ['1', '2', '3', '4', '5', '6', '7']) await maps.put('a', content);
    const versions = await keptVersions(started.app.artifacts, await setId());
    const { key } = versions.find(({ digest }) => digest === sha256('2'))!;
    await writeFile(join(started.folder, 'artifacts', key), 'no pack');
    const { made, lost } = (await build())!;
    assert.deepEqual([made, lost!.window], [1, '1-00000001']);
    const { text } = await ask(`${maps.home}/changelist.xml`);
    const [, part = ''] = /<loc>([^<]*0001\.xml)</.exec(text)!;
    const mementos = [...(await ask(part)).text.matchAll(/rel="memento" href="([^"]*)"/g)].map(([, uri]) => uri!);
    const statuses = await Promise.all(mementos.map(async (uri) => (await ask(uri)).status));
    assert.deepEqual(statuses, [200, 404, 200]);
  });

  itOnce('begins anew behind a version that is damaged', async () => {
    await addSet();
    for (const content of ['1', 'this one', '3', '4', '5', '6', '7']) await maps.put('a', content);
    const versions = await keptVersions(started.app.artifacts, await setId());
    const { key } = versions.find(({ digest }) => digest === sha256('this one'))!;
    const file = join(started.folder, 'artifacts', key);
    const pack = await readFile(file);
    pack.write('that', pack.indexOf('this one'));
    await writeFile(file, pack);
    const { made, lost } = (await build())!;
    assert.deepEqual([made, lost!.window], [1, '1-00000001']);
  });

  itOnce('is described for programs, some packages at a time', async () => {
    await addSet({ dumpPackageBytes: 200, dumpCompression: 'none' });
    const uri = `${started.url}/api/sets/${maps.slug}/change-dump`;
    assert.equal((await ask(uri)).status, 404);
    for (const content of ['1', '2', '3', '4', '5', '6', '7']) await maps.put('a', content.repeat(150));
    await build();
    const { status, text } = await ask(uri);
    assert.equal(status, 200, text);
    const { packages, totals, next, ...about } = JSON.parse(text);
    const dump = (await readChangeDump(maps.home))!;
    assert.deepEqual(about, { set: maps.slug, from: dump.from, until: dump.packages.at(-1)!.until });
    const bytes = dump.packages.reduce((sum, one) => sum + one.bytes.length, 0);
    assert.deepEqual(totals, { windows: 2, packages: 6, changes: 6, bytes });
    assert.equal(next, undefined);
    for (const [at, { window, from, until, changes, uri: address, contents }] of packages.entries()) {
      const { uri: expected, ...of } = dump.packages[at]!;
      assert.deepEqual([address, from, until, changes], [expected, of.from, of.until, of.changes.length]);
      assert.equal(window, at < 3 ? '1-00000001' : '1-00000002');
      assert.equal((await ask(contents)).status, 200);
    }
    const first = JSON.parse((await ask(`${uri}?limit=4`)).text);
    assert.deepEqual([first.packages.length, first.totals.packages], [4, 6]);
    const second = JSON.parse((await ask(`${uri}?limit=4&after=${first.next}`)).text);
    assert.deepEqual([...first.packages, ...second.packages], packages);
    const { status: gone, text: why } = await ask(`${uri}?limit=4&after=1-00000001-9-00000000`);
    assert.equal(gone, 410);
    assert.match(why, /the dump has no package 1-00000001-9-00000000: it was built again/);
  });

  itOnce('leaves behind no package that it has not named for a day', async () => {
    await addSet();
    for (const content of ['1', '2', '3', '4']) await maps.put('a', content);
    await build();
    const { dumps } = started.app.publishing;
    const { artifacts } = started.app;
    const set = await setId();
    const leave = async (name: string, time?: number) => {
      const key = formatKey({ kind: 'change-package', set, name });
      await artifacts.put(key, [Buffer.from('of a build that was killed')]);
      if (time !== undefined) await utimes(join(started.folder, 'artifacts', key), time, time);
      return async () => (await artifacts.head(key)) !== undefined;
    };
    const [named] = (await artifacts.objects(`_change-dumps/${set}/`)).map(({ key }) => key);
    await utimes(join(started.folder, 'artifacts', named!), LONG_AGO, LONG_AGO);
    const isOldLeft = await leave('1-00000002-1-0a1b2c3d', LONG_AGO);
    const isNewLeft = await leave('1-00000002-2-0a1b2c3d');
    await build();
    assert.deepEqual([await isOldLeft(), await isNewLeft()], [false, true]);
    const isLeft = await leave('1-00000002-1-0a1b2c3d', LONG_AGO);
    assert.equal(await dumps.removeUnused(new AbortController().signal), 1);
    assert.deepEqual([await isLeft(), await isNewLeft()], [false, true]);
    assert.equal((await readChangeDump(maps.home))!.packages.length, 1);
  });

  itOnce('goes with the dumps of its set', async () => {
    await addSet();
    for (const content of ['1', '2', '3', '4']) await maps.put('a', content);
    await build();
    const { uri } = (await readChangeDump(maps.home))!.packages[0]!;
    await started.app.publishing.dumps.remove(maps.slug);
    assert.equal(await readChangeDump(maps.home), undefined);
    assert.equal((await ask(uri)).status, 404);
    for (const name of ['archive', 'of-1-00000001']) {
      assert.equal((await ask(`${maps.home}/changedump-${name}.xml`)).status, 404, name);
    }
    // It can be built again: the versions are still there.
    assert.equal((await build())!.made, 1);
    const again = (await readChangeDump(maps.home))!.packages[0]!.uri;
    assert.notEqual(again, uri);
    assert.ok((await ask(`${maps.home}/changedump-of-1-00000001.xml`)).text.includes(again));
  });

  itOnce('does not appear when it is removed while it is built for the first time', async () => {
    await addSet({ windowChanges: 150, dumpPackageBytes: 100_000, dumpCompression: 'none' });
    const { dumps } = started.app.publishing;
    const { artifacts } = started.app;
    await maps.putAll(Array.from({ length: 200 }, (_, at) => [`${at}`, `${at}`.padEnd(50_000)]));
    const packages = `_change-dumps/${await setId()}/`;
    const building = assert.rejects(dumps.changes.build(maps.slug, {}), { code: 'conflict' });
    await until('a package', async () => (await artifacts.objects(packages)).length > 0);
    await dumps.changes.remove(maps.slug);
    await building;
    assert.equal(await readChangeDump(maps.home), undefined);
  });
});
