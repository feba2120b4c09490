import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { ArtifactStore } from '../../../src/artifacts/artifact-store.ts';
import { openArtifacts } from '../../../src/artifacts/open-artifacts.ts';
import { isTidemarkError } from '../../../src/core/errors.ts';
import type { Removals } from '../../../src/sources/files/relied-versions.ts';
import { VersionWriter } from '../../../src/sources/files/version-writer.ts';
import { FolderRoot } from '../../../src/sources/folder/folder-root.ts';
import { collect } from '../../support/builders.ts';
import { useTempFolder } from '../../support/temp-folder.ts';
import { until } from '../../support/until.ts';

/** Bytes of the largest file that is not read again. */
const SMALL_BYTES = 256 * 1024;
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('a version writer', () => {
  const folder = useTempFolder();
  const artifacts = () => openArtifacts({ kind: 'folder', folder: folder.at('artifacts') });
  const rootOf = () => new FolderRoot({ root: folder.at('files'), exclude: [], ownFiles: [] });

  const writerOf = (artifacts: ArtifactStore, root: FolderRoot) =>
    new VersionWriter({ set: 7, artifacts, lastRemovals: async () => undefined, onAllKept: async () => {} }, root);

  async function keptKeys(): Promise<readonly string[]> {
    return (await collect(artifacts().list('_versions/'))).map(({ key }) => key);
  }

  async function keep(versions: VersionWriter, root: FolderRoot, path: string): Promise<void> {
    await versions.keep(path, await root.digest(path, { copied: versions.wantedCopy }));
  }

  it('keeps small and large files under their digests, each digest once', async () => {
    const small = Buffer.alloc(SMALL_BYTES, 'a');
    const large = Buffer.alloc(SMALL_BYTES + 1, 'b');
    for (const [name, bytes] of [
      ['1', small],
      ['2', small],
      ['3', large],
      ['4', large],
      ['5', Buffer.alloc(0)],
    ] as const) {
      folder.write(`files/${name}`, bytes);
    }
    const root = rootOf();
    const store = artifacts();
    const versions = writerOf(store, root);
    await versions.begin();
    for (const path of ['1', '2', '3', '4', '5']) await keep(versions, root, path);
    await versions.stored();
    const digests = [small, large, Buffer.alloc(0)].map(sha256);
    assert.deepEqual(await keptKeys(), digests.map((digest) => `_versions/7/${digest.slice(0, 2)}/${digest}`).sort());
    const { body } = await store.get(`_versions/7/${digests[1]!.slice(0, 2)}/${digests[1]}`);
    assert.ok(Buffer.concat(await body.toArray()).equals(large));
    await store.close();
  });

  it('stores nothing of a large file that is another one when it is read again', async () => {
    folder.write('files/a', Buffer.alloc(SMALL_BYTES + 1, 'a'));
    const root = rootOf();
    const store = artifacts();
    const versions = writerOf(store, root);
    await versions.begin();
    const digest = await root.digest('a', { copied: versions.wantedCopy });
    folder.write('files/a', Buffer.alloc(SMALL_BYTES + 1, 'b'));
    await assert.rejects(versions.keep('a', digest), (error) => isTidemarkError(error, 'conflict'));
    await versions.stored();
    assert.deepEqual(await keptKeys(), []);
    await store.close();
  });

  it('stores the bytes of a large file that was replaced from another one that has them', async () => {
    for (const name of ['a', 'b']) folder.write(`files/${name}`, Buffer.alloc(SMALL_BYTES + 1, 'a'));
    const root = rootOf();
    const store = artifacts();
    const versions = writerOf(store, root);
    await versions.begin();
    const digest = await root.digest('a');
    folder.write('files/a', 'another');
    await assert.rejects(versions.keep('a', digest), (error) => isTidemarkError(error, 'conflict'));
    await keep(versions, root, 'b');
    await versions.stored();
    assert.equal((await keptKeys()).length, 1);
    await store.close();
  });

  it('keeps what is handed over while earlier bytes are stored, and leaves nothing unfinished', async () => {
    const root = rootOf();
    const store = artifacts();
    const versions = writerOf(store, root);
    const storing: Promise<void>[] = [];
    for (let step = 0; step < 5; step++) {
      await versions.begin();
      for (let at = 0; at < 20; at++) {
        folder.write(`files/${at}`, `${at} of ${step}`);
        await keep(versions, root, `${at}`);
      }
      storing.push(versions.stored());
    }
    await Promise.all(storing);
    assert.equal((await keptKeys()).length, 100);
    await versions.begin();
    await keep(versions, root, '1');
    folder.write('files/1', 'of a step that fails');
    await keep(versions, root, '1');
    await versions.discard();
    assert.equal((await keptKeys()).length, 100);
    assert.deepEqual(await readdir(folder.at('artifacts/.unfinished')), []);
    await store.close();
  });

  describe('while another process removes versions', () => {
    let removals: Removals | undefined;
    let store: ArtifactStore;
    let writer: VersionWriter;
    beforeEach(() => {
      removals = { number: 4 };
      store = artifacts();
      const parts = { set: 7, artifacts: store, lastRemovals: async () => removals, onAllKept: async () => {} };
      writer = new VersionWriter(parts, rootOf());
    });
    afterEach(() => store.close());

    async function keepFile(name: string): Promise<string> {
      folder.write(`files/${name}`, name);
      await keep(writer, rootOf(), name);
      const digest = sha256(Buffer.from(name));
      return `_versions/7/${digest.slice(0, 2)}/${digest}`;
    }

    it('does not rely on what was removed since it was handed over', async () => {
      await writer.begin();
      const key = await keepFile('a');
      await keepFile('b');
      const stored = writer.stored();
      removals = { number: 5, until: Date.now() + 60_000 };
      await until('a is stored', async () => (await store.head(key)) !== undefined);
      // As a request does that was decided before.
      await store.delete(key);
      removals = { number: 5 };
      await assert.rejects(stored, (error) => isTidemarkError(error, 'unavailable'));
      await writer.begin();
      await keepFile('a');
      await writer.stored();
      assert.equal((await keptKeys()).length, 2);
    });

    it('goes on when everything that it stored is there after the removals', async () => {
      removals = { number: 5, until: Date.now() + 60_000 };
      await writer.begin();
      await keepFile('a');
      let isStored = false;
      const stored = writer.stored().then(() => {
        isStored = true;
      });
      await until('it is written', async () => (await keptKeys()).length === 1);
      assert.equal(isStored, false);
      removals = { number: 5 };
      await stored;
      await writer.begin();
      await keepFile('b');
      removals = { number: 6 };
      await writer.stored();
    });
  });

  it('says that drafts cannot be written, and where', async () => {
    folder.write('files/a', 'a');
    const root = rootOf();
    const store = artifacts();
    const versions = writerOf(store, root);
    await versions.begin();
    rmSync(folder.at('artifacts/.unfinished'), { recursive: true });
    await assert.rejects(root.digest('a', { copied: versions.wantedCopy }), (error) => {
      const isTheirs = isTidemarkError(error, 'unavailable') && error.details.path === undefined;
      return isTheirs && error.message.includes(`the artifact store ${folder.at('artifacts')} cannot be written`);
    });
    await store.close();
  });
});
