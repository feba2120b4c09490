import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { publishFiles } from '../../../src/client/mirror/target/publish-files.ts';
import { DiskSync } from '../../../src/lib/files/disk-sync.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

const PATHS = ['a.txt', 'new/deep/b.txt', 'old/c.txt', 'old/long.txt'];

describe('Publishing the files of a copy', () => {
  const folder = useTempFolder();

  it('syncs the bytes of all files before they have their paths, and all folders after it', async () => {
    const root = folder.at('copy');
    mkdirSync(folder.at('copy/old'), { recursive: true });
    folder.write('own/3', 'old/long.txt');
    const syncs: { readonly bytes: readonly string[]; readonly paths: readonly string[]; visible: number }[] = [];
    /** Records what is synced, and what is visible then. */
    class RecordingSync extends DiskSync {
      override async sync(paths: readonly string[]): Promise<void> {
        const isOwn = (path: string) => !path.endsWith('.folder') && path.startsWith(folder.at('own'));
        const bytes = paths.filter(isOwn).map((path) => readFileSync(path, 'utf8'));
        const visible = PATHS.filter((path) => existsSync(folder.at(`copy/${path}`))).length;
        syncs.push({ bytes, paths: paths.map((path) => relative(folder.path, path)), visible });
        await super.sync(paths);
      }
    }
    const disk = new RecordingSync(root);
    const kept = PATHS.slice(0, 3);
    const files = PATHS.map((path, at) => ({
      ...{ path, staged: folder.at(`own/${at}`), modifiedMs: 0 },
      length: kept.includes(path) ? path.length : undefined,
    }));
    try {
      const bytes = new Uint8Array(Buffer.from(kept.join('')));
      assert.deepEqual(await publishFiles({ root, files, bytes }, disk), []);
    } finally {
      await disk.close();
    }
    const [written, moved, ...others] = syncs;
    assert.deepEqual(others, []);
    assert.deepEqual([[...written!.bytes].sort(), written!.visible], [[...PATHS].sort(), 0]);
    assert.ok(written!.paths.includes('own/1.folder'), String(written!.paths));
    assert.deepEqual(
      [[...moved!.paths].sort(), moved!.visible],
      [['copy', 'copy/new', 'copy/new/deep', 'copy/old'], 4],
    );
  });
});
