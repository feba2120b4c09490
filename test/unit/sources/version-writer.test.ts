import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { openArtifacts } from '../../../src/artifacts/open-artifacts.ts';
import { isTidemarkError } from '../../../src/core/errors.ts';
import { SMALL_BYTES, VersionWriter } from '../../../src/sources/files/version-writer.ts';
import { FolderRoot } from '../../../src/sources/folder/folder-root.ts';
import { collect } from '../../support/builders.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('a version writer', () => {
  const folder = useTempFolder();
  const artifacts = () => openArtifacts({ kind: 'folder', folder: folder.at('artifacts') });
  const rootOf = () => new FolderRoot({ root: folder.at('files'), exclude: [], ownFiles: [] });

  async function keptKeys(): Promise<readonly string[]> {
    return (await collect(artifacts().list('_versions/'))).map(({ key }) => key);
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
    const versions = new VersionWriter({ set: 7, artifacts: store, onAllKept: async () => {} }, root);
    for (const path of ['1', '2', '3', '4', '5']) {
      await versions.keep(path, await root.digest(path, undefined, SMALL_BYTES));
    }
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
    const versions = new VersionWriter({ set: 7, artifacts: store, onAllKept: async () => {} }, root);
    const digest = await root.digest('a', undefined, SMALL_BYTES);
    folder.write('files/a', Buffer.alloc(SMALL_BYTES + 1, 'b'));
    await assert.rejects(versions.keep('a', digest), (error) => isTidemarkError(error, 'conflict'));
    await versions.stored();
    assert.deepEqual(await keptKeys(), []);
    await store.close();
  });
});
