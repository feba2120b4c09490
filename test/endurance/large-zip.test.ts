import assert from 'node:assert/strict';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipWriter } from '../../src/lib/zip/zip-writer.ts';
import { useTempFolder } from '../support/temp-folder.ts';
import { readWithJava, readWithPython, testEntryWithUnzip, testWithUnzip } from '../support/zip-programs.ts';

const CHUNK = Buffer.alloc(1 << 20, 'tidemark');
interface Readers {
  /** Python and unzip begin at the end of a file, and Java at its beginning. */
  readonly whole: readonly (typeof readWithPython)[];
  testDirectory(file: string): Promise<void>;
}

const READERS = new Map<number, Readers>([
  [5 * 2 ** 30, { whole: [readWithPython, readWithJava], testDirectory: testWithUnzip }],
  // The length needs 32 bits, and that of its blocks more. What the directory says is tested by the entry behind it.
  [2 ** 32 - 1_000, { whole: [readWithJava], testDirectory: (file) => testEntryWithUnzip(file, 'behind') }],
]);

describe('a ZIP file of more than four gigabytes', () => {
  const folder = useTempFolder();

  for (const [length, { whole, testDirectory }] of READERS) {
    it(`has an entry of ${length} bytes, and one behind it`, async () => {
      const file = folder.at('package.zip');
      const writer = new ZipWriter();
      async function* bytes() {
        yield* writer.addStream({ name: 'large', modified: 0, compress: false }, repeated(length), length);
        yield* writer.add({ name: 'behind', modified: 0, compress: true }, CHUNK);
        yield* writer.end();
      }
      await pipeline(Readable.from(bytes()), createWriteStream(file));

      const expected = [
        ['large', length],
        ['behind', CHUNK.length],
      ];
      await testDirectory(file);
      // Each checks the CRC of every entry that it reads.
      for (const read of whole) {
        const entries = await read(file);
        assert.deepEqual(
          entries.map((entry) => [entry.name, entry.length]),
          expected,
        );
      }
      // Each goes through it in 5 to 20 seconds when it is alone.
    }).timeout(900_000);
  }
});

async function* repeated(length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < length; at += CHUNK.length) yield CHUNK.subarray(0, Math.min(CHUNK.length, length - at));
}
