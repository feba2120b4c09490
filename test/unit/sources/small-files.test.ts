import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import type { RootFile } from '../../../src/sources/content-root.ts';
import { openWithin } from '../../../src/sources/folder/open-within.ts';
import { SmallFiles } from '../../../src/sources/folder/small-files.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

describe('small files of a folder', () => {
  const folder = useTempFolder();
  let small: SmallFiles;
  const opened = (path: string) => small.open(small.realRoot()!, path);

  beforeEach(async () => {
    folder.write('root/known/file', 'text', 1_600_000_000);
    small = new SmallFiles(folder.at('root'));
    const file = await openWithin(folder.at('root'), 'known/file', (device, real) => small.learn(device, real));
    await file.close();
  });

  it('are read when they are opened, with the figures of a file that is streamed', async () => {
    const file = opened('known/file');
    const streamed = await openWithin(folder.at('root'), 'known/file');

    const figures = ({ length, mtime, tag }: RootFile) => ({ length, mtime, tag });
    assert.deepEqual(figures(file!), figures(streamed));
    assert.equal(String(file!.bytes), 'text');
    assert.equal(String(Buffer.concat(await file!.stream({ start: 1, end: 2 }).toArray())), 'ex');
    await streamed.close();
  });

  it('have the bytes of each read', () => {
    folder.write('root/known/file', 'another text');
    assert.equal(String(opened('known/file')!.bytes), 'another text');
  });

  it('are not opened in a folder that is not known, nor below a root that leads elsewhere now', () => {
    folder.write('root/unknown/file', 'text');
    assert.equal(opened('unknown/file'), undefined);
    assert.equal(opened('file'), undefined);

    renameSync(folder.at('root'), folder.at('moved'));
    symlinkSync(folder.at('moved'), folder.at('root'));
    assert.equal(opened('known/file'), undefined);
  });

  it('are not opened on a device that is none of a disk', () => {
    const others = new SmallFiles(folder.at('root'));
    // A file of /proc has a device of a type that is not listed as local.
    others.learn(-1n, realpathSync('/proc/self/status'));
    assert.equal(others.areKnown, false);
  });

  it('are left to be streamed when they are large, links, FIFOs or missing', () => {
    folder.write('root/known/large', 'x'.repeat(65_537));
    folder.write('root/known/most', 'x'.repeat(65_536));
    symlinkSync('file', folder.at('root/known/link'));
    mkdirSync(folder.at('outside'));
    folder.write('outside/file', 'secret');
    symlinkSync(folder.at('outside/file'), folder.at('root/known/out'));
    execFileSync('mkfifo', [folder.at('root/known/fifo')]);

    for (const name of ['large', 'link', 'out', 'fifo', 'missing', '../known/missing'])
      assert.equal(opened(`known/${name}`), undefined, name);
    assert.equal(opened('known/most')!.length, 65_536);
  });

  it('are not opened in a folder that was replaced by a link', () => {
    renameSync(folder.at('root/known'), folder.at('elsewhere'));
    symlinkSync(folder.at('elsewhere'), folder.at('root/known'));
    assert.equal(opened('known/file'), undefined);
    rmSync(folder.at('root/known'));
  });
});
