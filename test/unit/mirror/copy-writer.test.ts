import assert from 'node:assert/strict';
import { mkdirSync, readdirSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { CopyWriter } from '../../../src/client/mirror/pass/copy-writer.ts';
import { stage } from '../../../src/client/mirror/pass/fetch-resource.ts';
import { MirrorState } from '../../../src/client/mirror/state/mirror-state.ts';
import { FolderTarget } from '../../../src/client/mirror/target/folder-target.ts';
import { TidemarkError } from '../../../src/core/errors.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

/** Its disk is slow. */
class SlowTarget extends FolderTarget {
  readonly removed: number[] = [];

  override async remove(paths: readonly string[], keep: boolean) {
    this.removed.push(paths.length);
    await wait(5);
    return super.remove(paths, keep);
  }
}

const NO_TIMES = { lastmod: undefined, stamp: undefined };

describe('CopyWriter', () => {
  const folder = useTempFolder();

  it('leaves no unfinished file when the state cannot be written', async () => {
    mkdirSync(folder.at('copy'));
    const target = new FolderTarget(folder.at('copy'), folder.at('own'));
    const state = new MirrorState(folder.at('state.db'));
    const writer = new CopyWriter(state, target, { keepDeleted: false });
    try {
      const wanted = { uri: 'http://example.org/a', isDeleted: false, length: 100_000, hashes: {}, ...NO_TIMES };
      const known = state.name(wanted.uri);
      const bytes = Buffer.alloc(wanted.length);
      const staged = await stage(bytes, target, { wanted, path: known.path, mostBytes: wanted.length });
      assert.equal(readdirSync(folder.at('own/unfinished')).length, 1);
      state.commit = () => {
        throw new TidemarkError('unavailable', 'the disk is full');
      };
      await writer.add({ ...staged, known, wanted, validator: undefined });
      await assert.rejects(writer.flush(), /the disk is full/);
      assert.deepEqual(readdirSync(folder.at('own/unfinished')), []);
    } finally {
      await target.close();
      state.close();
    }
  });

  it('waits for the disk before it gathers more deletions', async () => {
    const target = new SlowTarget(folder.at('copy'), folder.at('own'));
    const state = new MirrorState(folder.at('state.db'));
    const writer = new CopyWriter(state, target, { keepDeleted: false });
    try {
      for (let at = 0; at < 12_000; at++) await writer.remove(state.name(`http://example.org/${at % 10}/${at}`));
      await writer.flush();
      assert.ok(Math.max(...target.removed) <= 5_001, String(target.removed));
    } finally {
      await target.close();
      state.close();
    }
  });
});
