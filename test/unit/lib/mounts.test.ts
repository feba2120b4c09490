import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { deviceOf } from '../../../src/lib/files/mounts.ts';
import { itWithHungMount } from '../../support/hung-mount.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

describe('The device of a path', () => {
  const folder = useTempFolder();

  it('is that of the mount that it is below, through links and names that do not exist', () => {
    mkdirSync(folder.at('a'));
    symlinkSync('/proc', folder.at('absolute'));
    symlinkSync('../absolute', folder.at('a/relative'));
    symlinkSync('loop', folder.at('loop'));
    const own = deviceOf(folder.path);
    const proc = deviceOf('/proc');
    assert.notEqual(own, undefined);
    assert.notEqual(proc, own);
    for (const path of ['', 'a', 'a/missing/b', 'loop/c', 'absolute/..x', 'a/../a']) {
      assert.equal(deviceOf(folder.at(path)), path.startsWith('absolute') ? proc : own, path);
    }
    for (const path of ['absolute', 'a/relative', 'a/relative/self'])
      assert.equal(deviceOf(folder.at(path)), proc, path);
    assert.equal(deviceOf(`${folder.path}/a/./relative/`), proc);
  });

  itWithHungMount('is found while the mount hangs', async (mount) => {
    symlinkSync(`${mount.folder}/below`, folder.at('link'));
    // The table of a second ago is not used any more.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const found = deviceOf(mount.folder);
    assert.notEqual(found, undefined);
    assert.notEqual(found, deviceOf(folder.path));
    assert.equal(deviceOf(folder.at('link')), found);
  });
});
