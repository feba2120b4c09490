import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { CopyWriter } from '../../../src/client/mirror/pass/copy-writer.ts';
import { MirrorState } from '../../../src/client/mirror/state/mirror-state.ts';
import { FolderTarget } from '../../../src/client/mirror/target/folder-target.ts';
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

describe('CopyWriter', () => {
  const folder = useTempFolder();

  it('waits for the disk before it gathers more deletions', async () => {
    const target = new SlowTarget(folder.at('copy'), folder.at('own'));
    const state = new MirrorState(folder.at('state.db'));
    const writer = new CopyWriter(state, target, { keepDeleted: false });
    try {
      for (let at = 0; at < 20_000; at++) await writer.remove(state.name(`http://example.org/${at % 10}/${at}`));
      await writer.flush();
      assert.ok(Math.max(...target.removed) <= 4_001, String(target.removed));
    } finally {
      await target.close();
      state.close();
    }
  });
});
