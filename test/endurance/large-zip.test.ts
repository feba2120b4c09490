import assert from 'node:assert/strict';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipWriter } from '../../src/lib/zip/zip-writer.ts';
import { useTempFolder } from '../support/temp-folder.ts';
import { readWithJava, readWithPython, testWithUnzip } from '../support/zip-programs.ts';

const CHUNK = Buffer.alloc(1 << 20, 'tidemark');
/** Beyond 32 bits, and one whose length is below, but not that of its blocks. */
const LENGTHS = [5 * 2 ** 30, 2 ** 32 - 1_000];

describe('a ZIP file of more than four gigabytes', () => {
  const folder = useTempFolder();

  for (const length of LENGTHS) {
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
      await testWithUnzip(file);
      // Each checks the CRC of every entry that it reads.
      for (const read of [readWithPython, readWithJava]) {
        const entries = await read(file);
        assert.deepEqual(
          entries.map((entry) => [entry.name, entry.length]),
          expected,
        );
      }
      // Four programs go through it, each in 5 to 20 seconds when they are alone.
    }).timeout(900_000);
  }
});

async function* repeated(length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < length; at += CHUNK.length) yield CHUNK.subarray(0, Math.min(CHUNK.length, length - at));
}
