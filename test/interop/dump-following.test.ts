import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { originOfRoot } from '../../src/core/stored-set.ts';
import { sync } from '../../src/sources/sync/sync.ts';
import { DumpFollower, sha256 } from '../support/dump-follower.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { findReferenceClient, itWithReferenceClient } from '../support/reference-client.ts';
import { SetReader } from '../support/set-reader.ts';
import { closeApps, makeFolder, type StartedApp, startApp } from '../support/start-app.ts';
import { writeOddFiles } from './odd-names.ts';

const FILES = 36;

describeOnEachStore('a set that is copied from its Resource Dump', (store, itOnce) => {
  let started: StartedApp;
  let root: string;
  let home: string;

  beforeEach(async () => {
    started = await startApp(store);
    root = await makeFolder(started, 'files');
    home = `${started.url}/sets/maps/`;
    for (let at = 0; at < FILES; at++) await write(at);
    await started.app.sets.add({ slug: 'maps', origin: originOfRoot(root), pageEntries: 6, windowChanges: 30 });
    await scan();
    await started.app.sets.markReady('maps');
  });
  afterEach(closeApps);

  const write = (at: number) => writeFile(join(root, `${at}.txt`), `${at} ${Math.random()}`.repeat(1 + (at % 50)));
  const build = () => started.app.publishing.dumps.build('maps', {});

  async function scan(): Promise<void> {
    const { app } = started;
    const set = await app.sets.bySlug('maps');
    await sync({ set, source: app.sources.sourceOf(set), updater: app.updater });
  }

  /** What clients should have, by URI. */
  async function expected(): Promise<ReadonlyMap<string, string>> {
    const names = (await readdir(root)).sort();
    const digests = names.map(async (name) => {
      return [`${home}resources/${encodeURIComponent(name)}`, sha256(await readFile(join(root, name)))] as const;
    });
    return new Map(await Promise.all(digests));
  }

  const sorted = (copy: ReadonlyMap<string, string>) => [...copy].sort(([one], [other]) => (one < other ? -1 : 1));

  /** Changes a part of the files, of which a scan finds some only after a build has met them. */
  async function change(turn: number): Promise<void> {
    for (let at = turn; at < FILES + turn; at += 7) await write(at % (FILES + 20));
    await rm(join(root, `${(turn * 3) % FILES}.txt`), { force: true });
    if (turn % 2 === 1) await scan();
    await write((turn * 5) % FILES);
  }

  it('is equal to the source at the end, whenever the dump was built while the source changed', async () => {
    const followers: DumpFollower[] = [];
    for (let turn = 0; turn < 4; turn++) {
      await Promise.all([build(), change(turn)]);
      const [follower] = await Promise.all([DumpFollower.start(new SetReader(home)), change(turn + 4)]);
      followers.push(follower);
      await Promise.all(followers.map((one) => one.step()));
    }
    await scan();
    const all = sorted(await expected());
    for (const follower of followers) {
      while ((await follower.step()) > 0);
      assert.ok(follower.unpacked > 0);
      assert.deepEqual(sorted(follower.copy), all);
    }
    await build();
    assert.deepEqual(sorted((await DumpFollower.start(new SetReader(home))).copy), all);
  });

  itOnce('lists what it has left out in the changes that follow', async () => {
    await build();
    for (const at of [3, 33]) await write(at);
    await scan();
    for (const at of [5, 33]) await write(at);
    const built = await build();
    assert.equal(
      built.packages.reduce((sum, { missing }) => sum + missing, 0),
      1,
    );
    const follower = await DumpFollower.start(new SetReader(home));
    assert.equal(follower.unpacked, FILES - 1);
    await scan();
    await follower.step();
    assert.deepEqual(sorted(follower.copy), sorted(await expected()));
  });

  itWithReferenceClient('is read by the classes of the reference client, list, manifests and packages', async () => {
    await writeOddFiles(root);
    await scan();
    await build();
    const python = join(dirname(findReferenceClient()!), 'python3');
    const script = join(import.meta.dirname, 'resync_dump.py');
    const { stdout } = await promisify(execFile)(python, [script, `${home}resourcedump.xml`], { timeout: 240_000 });
    const { packages, resources, digests } = JSON.parse(stdout);
    const files = (await readdir(root, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    assert.deepEqual([packages > 1, resources], [true, files.length]);
    const contents = await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name))));
    assert.deepEqual(new Set(digests), new Set(contents.map(sha256)));
  });
});
