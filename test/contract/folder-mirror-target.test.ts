import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { folderPlace } from '../../src/client/mirror/target/folder-place.ts';
import { FolderTarget } from '../../src/client/mirror/target/folder-target.ts';
import { isTidemarkError } from '../../src/core/errors.ts';
import { useTempFolder } from '../support/temp-folder.ts';
import { testMirrorTarget } from './mirror-target.ts';

describe('a folder as the target of a mirror', () => {
  const folder = useTempFolder();

  testMirrorTarget(() => {
    const root = folder.at('copy');
    const namesIn = (path: string) => (existsSync(path) ? readdirSync(path) : []);
    return {
      place: () => folderPlace(root),
      write: async (path, text) => folder.write(join('copy', path), text),
      async files() {
        const found = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
        const paths = found.map((entry) => relative(root, join(entry.parentPath, entry.name)));
        const copied = paths.filter((path) => !/^\.tidemark-mirror[./]/.test(path));
        return Object.fromEntries(copied.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
      },
      leftovers: async () => namesIn(join(root, '.tidemark-mirror/unfinished')),
    };
  });

  it('fills a new folder but for a file whose name the file system does not accept', async () => {
    const root = folder.at('copy');
    folder.write('copy/d/deep/b.txt', 'of another program');
    symlinkSync('d', join(root, 'link'));
    const target = new FolderTarget(root, join(root, '.tidemark-mirror'));
    const long = `new/${'n'.repeat(300)}.txt`;
    const right = ['new/a.txt', 'new/deep/er/a.txt', 'd/deep/a.txt', 'd/new/a.txt'];
    const wrong = [long, 'link/a.txt', 'link/new/a.txt'];
    const staged = async (path: string) => {
      const file = target.begin();
      await file.write(Buffer.from(path));
      return { path, staged: await file.finish() };
    };
    try {
      const rejected = await target.publish(await Promise.all([...right, ...wrong].map(staged)));
      assert.deepEqual(
        rejected.map(({ path }) => path),
        wrong,
      );
      for (const path of right) assert.equal(readFileSync(join(root, path), 'utf8'), path);
      const found: string[] = [];
      for await (const path of target.paths()) found.push(path);
      assert.deepEqual(found.sort(), [...right, 'd/deep/b.txt', 'link'].sort());
      assert.deepEqual(readdirSync(join(root, '.tidemark-mirror/unfinished')), []);
    } finally {
      await target.close();
    }
  });

  it('has 16 MB of files of 64 kB at most in memory, and others on the disk', async () => {
    const root = folder.at('copy');
    mkdirSync(root);
    const target = new FolderTarget(root, join(root, '.tidemark-mirror'));
    const unfinished = () => readdirSync(join(root, '.tidemark-mirror/unfinished')).length;
    const stage = async (path: string, length: number) => {
      const file = target.begin();
      await file.write(Buffer.alloc(length));
      return { path, staged: await file.finish() };
    };
    try {
      const long = await stage('long', 65_537);
      assert.equal(unfinished(), 1);
      const short = await Promise.all(Array.from({ length: 256 }, (_, at) => stage(String(at), 65_536)));
      assert.equal(unfinished(), 1);
      const more = await stage('more', 1);
      assert.equal(unfinished(), 2);
      assert.deepEqual(await target.publish([long, ...short, more]), []);
      assert.equal(target.lengthOf('255'), 65_536);
      await stage('next', 1);
      assert.equal(unfinished(), 0);
    } finally {
      await target.close();
    }
  });

  it('writes through no link that takes the place of a folder while the disk is synced', async () => {
    const root = folder.at('copy');
    folder.write('copy/d/a.txt', 'before');
    mkdirSync(folder.at('outside'));
    const target = new FolderTarget(root, join(root, '.tidemark-mirror'));
    const file = target.begin();
    await file.write(Buffer.from('a'));
    try {
      const publishing = target.publish([{ path: 'd/a.txt', staged: await file.finish() }]);
      renameSync(join(root, 'd'), folder.at('aside'));
      symlinkSync(folder.at('outside'), join(root, 'd'));
      assert.match((await publishing)[0]!.reason, /^d is a symbolic link, where the copy needs a folder/);
      assert.deepEqual(readdirSync(folder.at('outside')), []);
    } finally {
      await target.close();
    }
  });

  it('says which file cannot be read, and does not take it for another one', async () => {
    const root = folder.at('copy');
    folder.write('copy/d/a.txt', 'a');
    symlinkSync('loop', join(root, 'loop'));
    const target = new FolderTarget(root, join(root, '.tidemark-mirror'));
    const saysWhich = (error: unknown) =>
      isTidemarkError(error, 'unavailable') && /copy\/(d|loop\/a\.txt) cannot be read: /.test(error.message);
    try {
      for (const path of ['d', 'loop/a.txt']) await assert.rejects(buffer(target.read(path)), saysWhich);
      assert.throws(() => target.lengthOf('loop/a.txt'), saysWhich);
    } finally {
      await target.close();
    }
  });
});
