import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { RootFile } from '../../../src/sources/content-root.ts';
import { LocalFiles } from '../../../src/sources/folder/local-files.ts';
import { openWithin } from '../../../src/sources/folder/open-within.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

/** Replaces a file by a longer one and back, as an editor does. */
const REPLACE = `
  const { renameSync, writeFileSync } = require('node:fs');
  const { parentPort, workerData: { file, texts, turns } } = require('node:worker_threads');
  parentPort.postMessage('begun');
  for (let turn = 0; ; turn++) {
    writeFileSync(file + '.new', texts[turn % 2]);
    renameSync(file + '.new', file);
    Atomics.add(turns, 0, 1);
  }
`;
/** Turns while a file is opened again and again. */
const TURNS = 10_000;

describe('files of a local folder', () => {
  const folder = useTempFolder();
  let small: LocalFiles;
  const opened = (path: string) => small.open(small.realRoot()!, path);

  beforeEach(async () => {
    folder.write('root/known/file', 'text', 1_600_000_000);
    small = new LocalFiles(folder.at('root'));
    const file = await openWithin({ root: folder.at('root'), isInternal: () => false }, 'known/file', (device, real) =>
      small.learn(device, real),
    );
    await file.close();
  });

  it('are read when they are opened, with the figures of a file that is streamed', async () => {
    const file = opened('known/file');
    const streamed = await openWithin({ root: folder.at('root'), isInternal: () => false }, 'known/file');

    const figures = ({ length, mtime, tag }: RootFile) => ({ length, mtime, tag });
    assert.deepEqual(figures(file!), figures(streamed));
    assert.equal(String(file!.bytes), 'text');
    assert.equal(String(Buffer.concat(await file!.stream({ start: 1, end: 2 }).toArray())), 'ex');
    await streamed.close();
  });

  it('are read part by part when they are large, and checked at the end', async () => {
    folder.write('root/known/most', 'x'.repeat(65_536));
    folder.write('root/known/large', `${'x'.repeat(65_536)}y`);
    assert.equal(opened('known/most')!.bytes?.length, 65_536);

    const file = opened('known/large')!;
    assert.deepEqual([file.bytes, file.length], [undefined, 65_537]);
    const buffer = Buffer.alloc(4);
    assert.equal(await file.readInto!(buffer, { start: 65_535, end: 65_536 }), 2);
    assert.equal(String(buffer.subarray(0, 2)), 'xy');
    folder.write('root/known/large', 'x'.repeat(65_537));
    assert.equal(await file.readInto!(buffer, { start: 0, end: 65_536 }), 4);
    await assert.rejects(file.readInto!(buffer, { start: 65_533, end: 65_536 }), { code: 'conflict' });
    await file.close();
    const streamed = opened('known/large')!.stream({ start: 1, end: 3 });
    assert.equal(String(Buffer.concat(await streamed.toArray())), 'xxx');
  });

  it('have the bytes of each read', () => {
    folder.write('root/known/file', 'another text');
    assert.equal(String(opened('known/file')!.bytes), 'another text');
  });

  it('are one version, figures and bytes, while they are replaced all the time', async () => {
    const texts = ['old'.repeat(100), 'newer'.repeat(100)];
    folder.write('root/known/file', texts[0]);
    const turns = new Int32Array(new SharedArrayBuffer(4));
    const replacer = new Worker(REPLACE, {
      eval: true,
      workerData: { file: folder.at('root/known/file'), texts, turns },
    });
    const found = new Set<string>();
    try {
      await once(replacer, 'message');
      while (turns[0]! < TURNS || found.size < 2) {
        const file = opened('known/file');
        if (file !== undefined) found.add(String(file.bytes));
      }
    } finally {
      await replacer.terminate();
    }
    assert.deepEqual([...found].toSorted(), texts.toSorted());
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
    const others = new LocalFiles(folder.at('root'));
    // A file of /proc has a device of a type that is not listed as local.
    others.learn(-1n, realpathSync('/proc/self/status'));
    assert.equal(others.areKnown, false);
  });

  it('are left to others when they are links, FIFOs or missing', () => {
    symlinkSync('file', folder.at('root/known/link'));
    mkdirSync(folder.at('outside'));
    folder.write('outside/file', 'secret');
    symlinkSync(folder.at('outside/file'), folder.at('root/known/out'));
    execFileSync('mkfifo', [folder.at('root/known/fifo')]);

    for (const name of ['link', 'out', 'fifo', 'missing', '../known/missing'])
      assert.equal(opened(`known/${name}`), undefined, name);
  });

  it('are not opened in a folder that was replaced by a link', () => {
    renameSync(folder.at('root/known'), folder.at('elsewhere'));
    symlinkSync(folder.at('elsewhere'), folder.at('root/known'));
    assert.equal(opened('known/file'), undefined);
    rmSync(folder.at('root/known'));
  });
});
