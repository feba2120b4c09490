import assert from 'node:assert/strict';
import { closeSync, openSync, statSync } from 'node:fs';
import { ZipPackage } from '../../../src/client/read/zip-file.ts';
import { useTempFolder } from '../../support/temp-folder.ts';
import { zip } from '../../support/upload-packages.ts';

const FILES = { a: 'one '.repeat(300), b: '', c: 'two '.repeat(300), long: 'long '.repeat(10_000) };
const NAMES = Object.keys(FILES);

describe('A package', () => {
  const folder = useTempFolder();

  async function opened(bytes: Buffer, read: (opened: ZipPackage) => void): Promise<void> {
    folder.write('package.zip', bytes);
    const path = folder.at('package.zip');
    const fd = openSync(path, 'r');
    const opened = await ZipPackage.open(fd, statSync(path).size);
    try {
      read(opened);
    } finally {
      opened.close();
      closeSync(fd);
    }
  }

  const textsOf = (opened: ZipPackage) => NAMES.map((name) => String(opened.contents(name)));
  /** The names of the files whose bytes are in memory, so that reading them twice returns the same buffer. */
  const keptIn = (opened: ZipPackage) => {
    const first = NAMES.map((name) => opened.contents(name));
    return NAMES.filter((name, at) => opened.contents(name) === first[at]);
  };

  it('unpacks short files together, and has them until others are asked for', () =>
    opened(zip(FILES), (opened) => {
      opened.unpackAhead([...NAMES, 'a', 'missing']);
      assert.deepEqual(textsOf(opened), Object.values(FILES));
      assert.deepEqual(keptIn(opened), ['a', 'b', 'c']);
      opened.unpackAhead(['c']);
      assert.deepEqual(keptIn(opened), ['c']);
      assert.deepEqual(textsOf(opened), Object.values(FILES));
    }));

  it('has stored files unchanged', () =>
    opened(zip(FILES, { method: 0 }), (opened) => {
      opened.unpackAhead(NAMES);
      assert.deepEqual(textsOf(opened), Object.values(FILES));
    }));

  it('reads each file alone when one has another checksum or length than the package says', async () => {
    await opened(zip(FILES, { a: { crc: 1 } }), (opened) => {
      opened.unpackAhead(NAMES);
      assert.deepEqual(textsOf(opened), Object.values(FILES));
    });
    await opened(zip(FILES, { a: { length: 2 } }), (opened) => {
      opened.unpackAhead(NAMES);
      assert.throws(() => opened.contents('a'), /not a readable ZIP file/);
      assert.deepEqual([String(opened.contents('b')), String(opened.contents('c'))], [FILES.b, FILES.c]);
    });
  });
});
