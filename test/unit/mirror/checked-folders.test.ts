import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { CheckedFolders } from '../../../src/client/mirror/target/checked-folders.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

describe('Checked folders of a copy', () => {
  const folder = useTempFolder();
  let checked: CheckedFolders;
  beforeEach(() => {
    for (const name of ['copy', 'outside']) mkdirSync(folder.at(name));
    checked = new CheckedFolders(folder.at('copy'));
  });
  afterEach(() => checked.close());

  /** Puts a link to the folder outside in the place of a folder. */
  function swap(name: string): void {
    renameSync(folder.at(`copy/${name}`), folder.at(`copy/${name}-aside`));
    symlinkSync(folder.at('outside'), folder.at(`copy/${name}`));
  }

  it('lead to themselves when a link takes the place of one that is in use', () => {
    checked.make('a/b');
    const path = checked.pathOf('a/b/file');
    swap('a');
    mkdirSync(folder.at('outside/b'));
    writeFileSync(path, '');
    renameSync(path, checked.pathOf('a/b/moved'));
    mkdirSync(folder.at('new'));
    assert.ok(checked.place(folder.at('new'), 'a/b/new'));
    assert.deepEqual(readdirSync(folder.at('outside/b')), []);
    assert.deepEqual(readdirSync(folder.at('copy/a-aside/b')).sort(), ['moved', 'new']);
  });

  it('are checked again after they were closed', () => {
    checked.make('a/b');
    swap('a');
    checked.close();
    assert.throws(() => checked.make('a/b'), /^Error: a is a symbolic link, where the copy needs a folder: remove it$/);
    assert.throws(() => checked.pathOf('none/file'), /there is no folder none$/);
    assert.deepEqual(readdirSync(folder.at('outside')), []);
  });

  it('take a file or folder when another thread has put its folder in the place of an empty one', () => {
    for (const name of ['file', 'new/deep']) {
      checked.make('a/b');
      for (const put of ['a', 'a/b']) {
        mkdirSync(folder.at('other'));
        folder.remove('copy/a');
        if (put === 'a/b') mkdirSync(folder.at('copy/a'));
        renameSync(folder.at('other'), folder.at(`copy/${put}`));
        mkdirSync(folder.at('moved'));
        assert.ok(checked.place(folder.at('moved'), `a/b/${name}`), put);
      }
    }
  });
});
