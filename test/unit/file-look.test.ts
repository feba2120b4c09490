import assert from 'node:assert/strict';
import { lstatSync, mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { areCurrent, identityOf, textOfLook } from '../../src/sources/folder/file-look.ts';
import { useTempFolder } from '../support/temp-folder.ts';

describe('a look at many files', () => {
  const folder = useTempFolder();
  const at = (name: string): string => `${folder.path}/${name}`;

  beforeEach(() => {
    for (const name of ['a', 'b']) mkdirSync(at(name));
    for (const name of ['a/one', 'a/two', 'b/one', 'top']) writeFileSync(at(name), name);
    symlinkSync(at('a'), at('linked'));
    symlinkSync(at('b/one'), at('a/link'));
  });

  const NAMES = ['a/one', 'a/two', 'b/one', 'top', 'linked/one', 'a/link', 'linked/link'];

  /** What the files are now. */
  function look(): string {
    const texts = NAMES.map((name) => {
      const named = at(name);
      const real = realpathSync.native(named);
      return textOfLook({ named, real, identity: identityOf(lstatSync(real, { bigint: true })) });
    });
    return texts.join('\0');
  }

  /** The names of those that are not as they were. */
  function changed(before: string): readonly string[] {
    const answers = areCurrent(before);
    return NAMES.filter((_, position) => answers[position] === '0');
  }

  it('finds that nothing has changed, also behind links', () => {
    assert.deepEqual(changed(look()), []);
  });

  it('finds what was written, replaced or removed', () => {
    const before = look();
    writeFileSync(at('a/one'), 'A/one');
    writeFileSync(at('new'), 'a/two');
    renameSync(at('new'), at('a/two'));
    rmSync(at('top'));
    assert.deepEqual(changed(before), ['a/one', 'a/two', 'top', 'linked/one']);
  });

  it('finds a file that became a link to a file with the same bytes, and even to itself', () => {
    const before = look();
    renameSync(at('a/one'), at('moved'));
    symlinkSync(at('moved'), at('a/one'));
    assert.deepEqual(changed(before), ['a/one', 'linked/one']);
  });

  it('finds a link that leads elsewhere now', () => {
    const before = look();
    for (const name of ['linked', 'a/link']) rmSync(at(name));
    symlinkSync(at('b'), at('linked'));
    symlinkSync(at('a/two'), at('a/link'));
    assert.deepEqual(changed(before), ['linked/one', 'a/link', 'linked/link']);
  });

  it('finds files whose folder is another one, or is reached by a link now', () => {
    const before = look();
    renameSync(at('b'), at('c'));
    symlinkSync(at('c'), at('b'));
    assert.deepEqual(changed(before), ['b/one', 'a/link', 'linked/link']);
  });
});
