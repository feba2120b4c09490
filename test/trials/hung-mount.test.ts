import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { openRoot } from '../../src/sources/open-contents.ts';
import { collect } from '../support/builders.ts';
import { itWithHungMount } from '../support/hung-mount.ts';
import { useTempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

/** Bytes: a file for the threads of long ones. */
const LONG = 120_000_000;

describe('many folders, with a mount that hangs', () => {
  const folder = useTempFolder();

  itWithHungMount('are listed, hashed and watched while another mount hangs', async (mount) => {
    folder.write('root/a');
    // A table of mounts is used for a second. By one that lacks the mount, it would be touched as a folder is.
    await wait(1_100);
    // As an operator may have named it: the link is on a disk that answers.
    symlinkSync(mount.folder, folder.at('link'));
    const hung = [mount.folder, folder.at('link')].map((root) => openRoot({ root, exclude: [] }));
    const ignore = () => {};
    const watching = hung.map((root) => root.watch(ignore, ignore));
    const reading = hung.flatMap((root) => [
      root.digest('a', { length: 1 }),
      root.digest('long', { length: LONG }),
      collect(root.list()),
    ]);
    const ended = Promise.allSettled([...watching, ...reading]);
    const root = openRoot({ root: folder.at('root'), exclude: [] });
    const changes: string[] = [];
    const watch = await root.watch(
      (path) => changes.push(path),
      () => {},
    );
    try {
      assert.deepEqual(
        (await collect(root.list())).map(({ path }) => path),
        ['a'],
      );
      assert.equal((await root.digest('a', { length: 1 })).length, 6);
      folder.write('root/b');
      await until('a change', async () => changes.includes('b'));
      const first = await Promise.race([ended, Promise.resolve('hangs')]);
      assert.equal(first, 'hangs');
    } finally {
      mount.release();
      await watch.close();
    }
    await ended;
    // Those that began when the folder was no mount any more.
    for (const result of await Promise.allSettled(watching)) {
      if (result.status === 'fulfilled') await result.value.close();
    }
  });
});
