import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { ArtifactStore } from '../../src/artifacts/artifact-store.ts';
import { BLOCK_BYTES } from '../../src/artifacts/blocks.ts';
import { openArtifacts } from '../../src/artifacts/open-artifacts.ts';
import { isTidemarkError } from '../../src/core/errors.ts';
import { collect } from '../support/builders.ts';
import { ChildScript } from '../support/child-script.ts';
import { itOnSmallDisk } from '../support/small-disk.ts';
import { itWithPermissions, useTempFolder, whileUnreadable } from '../support/temp-folder.ts';

const KEY = 'cdl/harvest/20170209/20170209_104428-cdl-OriginalRecord.v1.avro';
const MEGABYTE = Buffer.alloc(1024 * 1024, 'x');

function saying(message: RegExp) {
  return (error: unknown) => isTidemarkError(error, 'unavailable') && message.test(error.message);
}

describe('an artifact store in a folder that fails', () => {
  const folder = useTempFolder();
  const open = (path = folder.path): ArtifactStore => openArtifacts({ kind: 'folder', folder: path });

  itOnSmallDisk(
    'reports that the disk is full, leaves nothing, and writes when there is room again',
    24,
    async (disk) => {
      const store = open(disk.folder);
      await disk.fill(4 * MEGABYTE.length);
      for (const megabytes of [5, 20]) {
        const body = Array.from({ length: megabytes }, () => MEGABYTE);
        await assert.rejects(store.put(KEY, body), saying(/cannot be written: the disk is full \(ENOSPC\)/));
        assert.equal(await store.head(KEY), undefined);
        assert.deepEqual(await readdir(join(disk.folder, '.unfinished')), []);
      }
      assert.equal((await store.put(KEY, [MEGABYTE])).length, MEGABYTE.length);
    },
  );

  itOnSmallDisk('reports that the disk is read-only, and can still be read', 8, async (disk) => {
    const store = open(disk.folder);
    await store.put(KEY, [MEGABYTE]);
    await disk.makeReadOnly();
    await assert.rejects(store.put('a', [MEGABYTE]), saying(/the file system is read-only \(EROFS\)/));
    await assert.rejects(open(disk.folder).put('a', [MEGABYTE]), saying(/the file system is read-only \(EROFS\)/));
    assert.equal((await (await store.get(KEY)).body.toArray()).length > 0, true);
  });

  itWithPermissions('reports that it may not be read or written, which is not the same as empty', async () => {
    await open().put(KEY, [MEGABYTE]);
    await whileUnreadable(folder.path, async () => {
      const store = open();
      await assert.rejects(store.get(KEY), saying(/cannot be read: permission denied \(EACCES\)/));
      await assert.rejects(store.head(KEY), saying(/cannot be read/));
      await assert.rejects(collect(store.list('')), saying(/cannot be read/));
      await assert.rejects(store.folders('cdl/'), saying(/cannot be read/));
      await assert.rejects(store.put('b', [MEGABYTE]), saying(/cannot be written: permission denied/));
    });
  });

  it('contains nothing of what a process was writing when it was killed, and removes the remains', async () => {
    const child = new ChildScript<string>('./endless-artifact.ts', {
      location: { kind: 'folder', folder: folder.path },
      key: KEY,
    });
    assert.equal(await child.line(), 'begun');
    assert.equal((await readdir(folder.at('.unfinished'))).length, 1);
    await child.stop('SIGKILL');

    const store = open();
    assert.deepEqual(await collect(store.list('')), []);
    assert.deepEqual(await store.folders(''), []);
    assert.equal((await readdir(folder.at('.unfinished'))).length, 1);
    await store.put(KEY, [MEGABYTE]);
    assert.deepEqual(await readdir(folder.at('.unfinished')), []);
    assert.deepEqual(
      (await collect(store.list(''))).map(({ key }) => key),
      [KEY],
    );
  });

  it('does not remove what another process, container or machine may be writing', async () => {
    // No process here has the second id; a container on this machine has ids of its own.
    const namespaces = ['another-machine', hostname(), `${hostname()}.1`];
    const namesOf = (namespace: string) => [process.pid, 4_194_304].map((pid) => `${namespace}.${pid}`);
    const names = namespaces.flatMap(namesOf).map((name) => `${name}.${crypto.randomUUID()}`);
    for (const name of names) folder.write(`.unfinished/${name}`, 'a part');
    for (const name of namespaces.flatMap(namesOf)) {
      folder.write(`.unfinished/${name}.${crypto.randomUUID()}`, 'long ago', 1_600_000_000);
    }

    await open().put(KEY, [MEGABYTE]);
    assert.deepEqual(readdirSync(folder.at('.unfinished')).sort(), names.sort());
  });

  it('reports a file that is cut off while it is read', async () => {
    const store = open();
    await store.put(KEY, [Buffer.alloc(BLOCK_BYTES)]);
    const { body } = await store.get(KEY);
    writeFileSync(folder.at(KEY), 'shorter');
    await assert.rejects(body.toArray(), saying(/was cut off: \d+ of 8388608 bytes came/));
  });

  it('contains regular files in regular folders alone', async () => {
    folder.write('cdl/file', 'abc');
    mkdirSync(folder.at('cdl/folder.avro'));
    symlinkSync('file', folder.at('cdl/link'));
    folder.write('cdl/with a space', 'x');
    const store = open();

    assert.deepEqual(
      (await collect(store.list(''))).map(({ key }) => key),
      ['cdl/file'],
    );
    assert.equal(await store.head('cdl/folder.avro'), undefined);
    await assert.rejects(store.get('cdl/folder.avro'), (error) => isTidemarkError(error, 'not-found'));
    await assert.rejects(store.put('cdl/folder.avro', [MEGABYTE]), (error) => isTidemarkError(error, 'conflict'));
    await assert.rejects(store.put('cdl/file/below', [MEGABYTE]), (error) => isTidemarkError(error));
  });
});
