import assert from 'node:assert/strict';
import { rmSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { formatKey } from '../../../src/artifacts/artifact-key.ts';
import type { ArtifactStore } from '../../../src/artifacts/artifact-store.ts';
import { openArtifacts } from '../../../src/artifacts/open-artifacts.ts';
import { isTidemarkError, TidemarkError } from '../../../src/core/errors.ts';
import type { ResourceState, VersionPlace } from '../../../src/core/resource.ts';
import type { Removals } from '../../../src/sources/files/relied-versions.ts';
import { type VersionStore, VersionWriter } from '../../../src/sources/files/version-writer.ts';
import { FolderRoot } from '../../../src/sources/folder/folder-root.ts';
import { keptVersions, sha256 } from '../../support/kept-versions.ts';
import { useTempFolder } from '../../support/temp-folder.ts';
import { until } from '../../support/until.ts';

/** Bytes of the largest file that is not read again. */
const SMALL_BYTES = 256 * 1024;

describe('a version writer', () => {
  const folder = useTempFolder();
  const artifacts = () => openArtifacts({ kind: 'folder', folder: folder.at('artifacts') });
  const rootOf = () => new FolderRoot({ root: folder.at('files'), exclude: [], ownFiles: [] });

  const writerOf = (artifacts: VersionStore['artifacts'], root: FolderRoot) =>
    new VersionWriter({ set: 7, artifacts, lastRemovals: async () => undefined, onAllKept: async () => {} }, root);

  /** The digests of the kept versions, and the objects that have them. */
  async function kept() {
    return (await keptVersions(artifacts(), 7)).map(({ digest, key }) => ({ digest, key }));
  }

  async function keep(versions: VersionWriter, root: FolderRoot, path: string, known?: ResourceState) {
    const length = statSync(folder.at(`files/${path}`)).size;
    return versions.keep(path, await root.digest(path, { length, copied: versions.wantedCopy(known) }), known);
  }

  async function stateOf(root: FolderRoot, path: string, place?: VersionPlace): Promise<ResourceState> {
    const { length, hashes } = await root.digest(path);
    return { length, hashes, ...(place && { kept: place }) };
  }

  const small = Buffer.alloc(SMALL_BYTES, 'a');
  const large = Buffer.alloc(SMALL_BYTES + 1, 'b');
  const FILES = [
    ['1', small],
    ['2', small],
    ['3', large],
    ['4', large],
    ['5', Buffer.alloc(0)],
    ['6', Buffer.from('6')],
    ['7', Buffer.from('7')],
  ] as const;

  function keepsSmallFilesTogether(storeOf: (store: ArtifactStore) => VersionStore['artifacts']): void {
    it('keeps small files together, and large and empty ones under their digests, once', async () => {
      for (const [name, bytes] of FILES) folder.write(`files/${name}`, bytes);
      const root = rootOf();
      const store = artifacts();
      const versions = writerOf(storeOf(store), root);
      await versions.begin();
      const places = await Promise.all(FILES.map(([path]) => keep(versions, root, path)));
      await versions.stored();
      for (const [at, [name, bytes]] of FILES.entries()) {
        const place = places[at];
        assert.equal(place === undefined, bytes.length > SMALL_BYTES || bytes.length === 0, name);
        if (place === undefined) continue;
        const key = formatKey({ kind: 'version-pack', set: 7, name: place.pack });
        assert.ok(bytes.equals(await store.readSmall(key, { start: place.offset, length: bytes.length })), name);
      }
      assert.equal(places[5]!.pack, places[6]!.pack);
      const alone = (await kept()).filter(({ key }) => !key.endsWith('.zip')).map(({ key }) => key);
      const digests = [large, Buffer.alloc(0)].map(sha256);
      assert.deepEqual(alone, digests.map((digest) => `_versions/7/${digest.slice(0, 2)}/${digest}`).sort());
      await store.close();
    });
  }

  describe('whose threads write packs', () => keepsSmallFilesTogether((store) => store));
  describe('of a store for which it writes the packs itself', () =>
    keepsSmallFilesTogether((store) => ({
      put: (...args) => store.put(...args),
      putAll: (...args) => store.putAll(...args),
      head: (key) => store.head(key),
    })));

  it('keeps bytes that the resource has already alone, since no state would name their place', async () => {
    folder.write('files/a', 'a');
    const root = rootOf();
    const store = artifacts();
    const versions = writerOf(store, root);
    await versions.begin();
    assert.equal(await keep(versions, root, 'a', await stateOf(root, 'a')), undefined);
    await versions.stored();
    const digest = sha256('a');
    assert.deepEqual(
      (await kept()).map(({ key }) => key),
      [`_versions/7/${digest.slice(0, 2)}/${digest}`],
    );
    await store.close();
  });

  it('keeps nothing where a pack has the bytes, and keeps them alone where it was removed', async () => {
    folder.write('files/a', 'a');
    const root = rootOf();
    const store = artifacts();
    const versions = writerOf(store, root);
    await versions.begin();
    const known = await stateOf(root, 'a', await keep(versions, root, 'a'));
    await versions.stored();
    const before = await kept();
    assert.equal(before.length, 1);
    await versions.begin();
    assert.deepEqual(await keep(versions, root, 'a', known), known.kept);
    await versions.stored();
    assert.deepEqual(await kept(), before);

    await store.delete(before[0]!.key);
    await versions.begin();
    // The state stays as it is, so that nothing is published.
    assert.deepEqual(await keep(versions, root, 'a', known), known.kept);
    await versions.stored();
    assert.deepEqual(
      (await kept()).map(({ digest }) => digest),
      [sha256('a')],
    );
    await store.close();
  });

  it('stores nothing of a large file that is another one when it is read again', async () => {
    folder.write('files/a', Buffer.alloc(SMALL_BYTES + 1, 'a'));
    const root = rootOf();
    const store = artifacts();
    const versions = writerOf(store, root);
    await versions.begin();
    const digest = await root.digest('a', { copied: versions.wantedCopy(undefined) });
    folder.write('files/a', Buffer.alloc(SMALL_BYTES + 1, 'b'));
    await assert.rejects(versions.keep('a', digest, undefined), (error) => isTidemarkError(error, 'conflict'));
    await versions.stored();
    assert.deepEqual(await kept(), []);
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
    await assert.rejects(versions.keep('a', digest, undefined), (error) => isTidemarkError(error, 'conflict'));
    await keep(versions, root, 'b');
    await versions.stored();
    assert.equal((await kept()).length, 1);
    await store.close();
  });

  it('keeps what is handed over while earlier bytes are stored, and leaves nothing unfinished @long', async () => {
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
    assert.equal((await kept()).length, 100);
    await versions.begin();
    await keep(versions, root, '1');
    folder.write('files/1', 'of a step that fails');
    await keep(versions, root, '1');
    await versions.discard();
    assert.equal((await kept()).length, 100);
    assert.deepEqual(await readdir(folder.at('artifacts/.unfinished')), []);
    await store.close();
  });

  describe('while another process removes versions @long', () => {
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
      const root = rootOf();
      await keep(writer, root, name, await stateOf(root, name));
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
      assert.equal((await kept()).length, 2);
    });

    it('goes on when everything that it stored is there after the removals', async () => {
      removals = { number: 5, until: Date.now() + 60_000 };
      await writer.begin();
      await keepFile('a');
      let isStored = false;
      const stored = writer.stored().then(() => {
        isStored = true;
      });
      await until('it is written', async () => (await kept()).length === 1);
      assert.equal(isStored, false);
      removals = { number: 5 };
      await stored;
      await writer.begin();
      await keepFile('b');
      removals = { number: 6 };
      await writer.stored();
    });
  });

  describe('that writes packs itself', () => {
    /** Keeps different files that come with their bytes, as from a bucket. Five fill a pack. */
    const keepFiles = async (versions: VersionWriter, count: number) => {
      for (let at = 0; at < count; at++) {
        const bytes = new Uint8Array(SMALL_BYTES - 200).fill(1);
        new DataView(bytes.buffer).setUint32(0, at);
        const digest = { length: bytes.length, mtime: 0n, hashes: { 'sha-256': sha256(bytes) }, bytes };
        await versions.keep(`${at}`, digest, undefined);
      }
    };

    it('hands over the bytes of packs, without the rest of a buffer', async () => {
      const store = artifacts();
      const written: Uint8Array[] = [];
      const putAll: ArtifactStore['putAll'] = async (objects) => {
        written.push(...objects.map(({ bytes }) => bytes));
      };
      const versions = writerOf(
        { put: (...args) => store.put(...args), putAll, head: async () => undefined },
        rootOf(),
      );
      await versions.begin();
      await keepFiles(versions, 6);
      await versions.stored();
      assert.equal(written.length, 2);
      for (const { length, buffer } of written) assert.equal(buffer.byteLength, length);
      await store.close();
    });

    it('fails when an earlier write fails while the last pack begins another one @long', async () => {
      const store = artifacts();
      const failed = Promise.withResolvers<void>();
      const putAll = () => failed.promise;
      const versions = writerOf(
        { put: (...args) => store.put(...args), putAll, head: async () => undefined },
        rootOf(),
      );
      const rejections: unknown[] = [];
      const onRejection = (error: unknown) => void rejections.push(error);
      process.prependListener('unhandledRejection', onRejection);
      try {
        await versions.begin();
        // The 65th file begins a write. The last pack is the one that makes the rest large enough for another.
        await keepFiles(versions, 129);
        const stored = versions.stored();
        failed.reject(new TidemarkError('unavailable', 'the disk is full'));
        await assert.rejects(stored, (error) => isTidemarkError(error, 'unavailable'));
        await nextTurn();
      } finally {
        process.off('unhandledRejection', onRejection);
      }
      assert.deepEqual(rejections, []);
      await store.close();
    });
  });

  it('says that drafts cannot be written, and where', async () => {
    folder.write('files/a', 'a');
    const root = rootOf();
    const store = artifacts();
    const versions = writerOf(store, root);
    await versions.begin();
    rmSync(folder.at('artifacts/.unfinished'), { recursive: true });
    await assert.rejects(root.digest('a', { copied: versions.wantedCopy(undefined) }), (error) => {
      const isTheirs = isTidemarkError(error, 'unavailable') && error.details.path === undefined;
      return isTheirs && error.message.includes(`the artifact store ${folder.at('artifacts')} cannot be written`);
    });
    await store.close();
  });
});
