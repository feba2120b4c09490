import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { FolderRoot } from '../../../src/sources/folder/folder-root.ts';
import { MirroredRoot } from '../../../src/sources/resourcesync/mirrored-root.ts';
import { LIST, MirroredSource } from '../../support/mirrored-source.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

describe('MirroredRoot @long', () => {
  const place = useTempFolder();
  let source: MirroredSource;
  let root: MirroredRoot;
  let files: FolderRoot;

  beforeEach(async () => {
    source = await MirroredSource.start();
    source.put({ 'a.txt': 'a', 'd/b.txt': 'b' }).list('2026-01-01T00:00:00Z');
    // The list has SHA-256: each file is read for its MD5.
    const location = { root: place.at('copy'), exclude: [], hashes: ['md5' as const] };
    files = new FolderRoot(location);
    root = new MirroredRoot(files, location, {
      ...{ folder: location.root, url: source.url, set: `${source.served.baseUrl}/set.xml`, intervalMs: 60_000 },
      ...{ allowedHosts: [], tokenFile: undefined, netrc: undefined, failpoint: undefined },
    });
  });

  afterEach(async () => {
    root.close();
    await source.close();
  });

  const refresh = (signal?: AbortSignal) => root.refresh(() => {}, signal);
  const watch = () =>
    root.watch(
      () => {},
      () => {},
    );
  const isLocked = () => {
    const lock = new DatabaseSync(place.at('copy/.tidemark-mirror/lock'), { timeout: 0 });
    try {
      lock.exec('BEGIN EXCLUSIVE');
      return false;
    } catch {
      return true;
    } finally {
      lock.close();
    }
  };

  it('keeps no copy locked when its watch is closed while the copy is opened', async () => {
    const { answers } = source.served;
    const set = answers.get('/set.xml') as string;
    const asked = Promise.withResolvers<() => void>();
    answers.set('/set.xml', (_, response) => asked.resolve(() => response.end(set)));
    const watched = await watch();
    const refreshing = refresh();
    const answer = await asked.promise;
    await watched.close();
    answers.set('/set.xml', set);
    answer();
    await refreshing;
    assert.equal(isLocked(), false);
  });

  it('makes no pass for a signal that was aborted before', async () => {
    const aborted = AbortSignal.abort(new Error('stopped'));
    await assert.rejects(refresh(aborted), /^Error: stopped$/);
    assert.equal(source.served.requests.length, 0);
    const watched = await watch();
    await refresh();
    const requests = source.served.requests.length;
    await assert.rejects(refresh(aborted), /^Error: stopped$/);
    assert.equal(source.served.requests.length, requests);
    await watched.close();
  });

  it('makes a pass after one that was stopped, and after its thread has ended', async () => {
    const { answers } = source.served;
    const list = answers.get(LIST)!;
    const watched = await watch();
    await refresh();
    const stopping = new AbortController();
    answers.set(LIST, () => stopping.abort(new Error('stopped')));
    await assert.rejects(refresh(stopping.signal), /stopped/);
    answers.set(LIST, list);
    await refresh();
    await watched.close();
  });

  it('digests no file that differs from its record', async () => {
    await refresh();
    assert.equal((await root.digest('a.txt')).length, 1);
    for (const text of ['b', 'longer']) {
      writeFileSync(place.at('copy/a.txt'), text);
      await assert.rejects(root.digest('a.txt'), /"a\.txt" changed while it was read/);
    }
    writeFileSync(place.at('copy/a.txt'), 'a');
    assert.equal((await root.digest('a.txt')).length, 1);
  });

  it('lists the copy to the end when it is closed meanwhile', async () => {
    await refresh();
    const { leavesOut } = files;
    files.leavesOut = () => {
      root.close();
      return leavesOut.call(files);
    };
    const paths: string[] = [];
    for await (const batch of root.list()) {
      paths.push(...batch.map(({ path }) => path));
    }
    assert.deepEqual(paths, ['a.txt', 'd/b.txt']);
  });
});
