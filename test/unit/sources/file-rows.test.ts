import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import type { ContentRoot, RootEntry } from '../../../src/sources/content-root.ts';
import type { RememberedFile } from '../../../src/sources/files/file-memory.ts';
import { type FileRow, fileRows } from '../../../src/sources/files/file-rows.ts';
import { collect, deletion, upsert } from '../../support/builders.ts';
import { openScannedSet, type ScannedSet } from '../../support/scanned-set.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

describe('The rows of files', () => {
  const folder = useTempFolder();
  let scanned: ScannedSet;
  /** What the root lists, whatever it is asked for. */
  let listed: readonly RootEntry[];
  let isListing: boolean;
  beforeEach(async () => {
    mkdirSync(folder.at('root'));
    scanned = await openScannedSet(folder);
    listed = [];
    isListing = false;
  });
  afterEach(() => scanned.close());

  const entry = (path: string): RootEntry => ({ path, length: 1, mtime: 0n });
  const post = (...paths: readonly string[]) => scanned.updater.post(paths.map((path) => upsert(scanned.set.id, path)));
  function remember(...paths: readonly string[]): void {
    const files = paths.map((path): RememberedFile => ({ key: `/${path}`, length: 1, mtime: 0n, scanned: 0n }));
    scanned.memory.update({ remember: files, forget: [] });
  }

  function rowsUnder(under: string): AsyncGenerator<readonly FileRow[]> {
    async function* list(path: string | undefined): AsyncGenerator<readonly RootEntry[]> {
      assert.equal(path, under);
      isListing = true;
      try {
        for (const one of listed) yield [one];
      } finally {
        isListing = false;
      }
    }
    const root = { list } as Partial<ContentRoot> as ContentRoot;
    return fileRows({ set: scanned.set.id, index: scanned.index, memory: scanned.memory, root }, under);
  }
  /** The rows of a path, in short: `/a FRM` has a file, a resource, and is remembered. */
  async function rowsOf(under: string): Promise<readonly string[]> {
    const rows = await collect(rowsUnder(under));
    return rows.map(({ key, file, resource, remembered, problem }) => {
      const has = [file && 'F', resource && 'R', remembered && 'M', problem?.problem].filter(Boolean).join('');
      for (const part of [file && { key: `/${file.path}` }, resource, remembered]) {
        if (part !== undefined) assert.equal(part.key, key);
      }
      return `${key} ${has}`;
    });
  }

  it('have what is listed, published and remembered of each key, in the order of the keys', async () => {
    listed = ['b', 'd', 'f', 'g'].map(entry);
    await post('a', 'c', 'd', 'g');
    remember('c', 'e', 'f', 'g');
    assert.deepEqual(await rowsOf(''), ['/a R', '/b F', '/c RM', '/d FR', '/e M', '/f FM', '/g FRM']);
  });

  it('of everything leave out what has no local path', async () => {
    await scanned.updater.post([{ ...upsert(scanned.set.id, 'x'), key: 'http://example.org/elsewhere' }]);
    await post('a', '~');
    assert.deepEqual(await rowsOf(''), ['/a R', '/~ R']);
  });

  it('of a path have the path itself and all that is below it, and nothing beside it', async () => {
    const paths = ['a', 'a-b', 'a.txt', 'a/1', 'a/~', 'a0', 'b', '0'];
    await post(...paths);
    remember(...paths);
    assert.deepEqual(await rowsOf('a'), ['/a RM', '/a/1 RM', '/a/~ RM']);
  });

  it('of a path have no resource that was deleted, or never was', async () => {
    await post('a', 'a/1', 'b');
    await scanned.updater.post([deletion(scanned.set.id, 'a'), deletion(scanned.set.id, 'b')]);
    remember('a');
    assert.deepEqual(await rowsOf('a'), ['/a M', '/a/1 R']);
    assert.deepEqual(await rowsOf('b'), []);
    assert.deepEqual(await rowsOf('c'), []);
  });

  it('have a problem where it was listed, before what it hides', async () => {
    listed = [entry('b'), { path: 'd', problem: '!' }, entry('c')];
    await post('a', 'c', 'd', 'd/1');
    assert.deepEqual(await rowsOf(''), ['/a R', '/b F', '/d !', '/c FR', '/d R', '/d/1 R']);
  });

  it('come as batches of a hundred', async () => {
    const paths = Array.from({ length: 250 }, (_, at) => `${at + 1_000}`);
    listed = paths.map(entry);
    const batches: (readonly FileRow[])[] = [];
    for await (const batch of rowsUnder('')) batches.push(batch);
    assert.deepEqual(
      batches.map(({ length }) => length),
      [100, 100, 50],
    );
    assert.deepEqual(
      batches.flat().map(({ key }) => key),
      paths.map((path) => `/${path}`),
    );
  });

  it('stop listing when the caller stops', async () => {
    listed = Array.from({ length: 150 }, (_, at) => entry(`${at + 1_000}`));
    const rows = rowsUnder('');
    await rows.next();
    assert.ok(isListing);
    await rows.return(undefined);
    assert.ok(!isListing);
  });
});
