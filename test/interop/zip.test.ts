import assert from 'node:assert/strict';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { type ZipEntry, ZipWriter } from '../../src/lib/zip/zip-writer.ts';
import { useTempFolder } from '../support/temp-folder.ts';
import { readWithJava, readWithPython, testWithUnzip } from '../support/zip-programs.ts';

const MODIFIED = Date.UTC(2024, 1, 29, 12, 34, 57) / 1000;
/** Many blocks and many chunks, and nothing that compresses. */
const LARGE = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * at * 31 + (at >> 5)) & 0xff));

const NAMES = ['a', 'a b/c+d&e=f', "it's 100%", 'ä/ö/ü', '\u{1f5fa}.txt', '日本語/ファイル', `${'n'.repeat(250)}.bin`];

/** What is packed, and whether as a stream. */
interface Content {
  readonly bytes: Buffer;
  readonly entry: ZipEntry;
  readonly isStream: boolean;
}

describe('a ZIP file, as other programs read it', () => {
  const folder = useTempFolder();

  async function write(contents: Iterable<Content>): Promise<string> {
    const file = folder.at('package.zip');
    const writer = new ZipWriter();
    async function* bytes() {
      for (const { entry, bytes: content, isStream } of contents) {
        if (isStream) yield* writer.addStream(entry, inChunks(content), content.length);
        else yield* writer.add(entry, content);
      }
      yield* writer.end();
    }
    await pipeline(Readable.from(bytes()), createWriteStream(file));
    return file;
  }

  async function assertRead(contents: readonly Content[]): Promise<void> {
    const file = await write(contents);
    const expected = contents.map(({ entry, bytes }) => ({
      crc: crc32(bytes),
      length: bytes.length,
      name: entry.name,
    }));
    await testWithUnzip(file);
    assert.deepEqual(await readWithPython(file), expected);
    const streamed = await readWithJava(file);
    assert.deepEqual(
      streamed,
      expected.map((one, at) => ({ ...one, modified: contents[at]!.entry.modified })),
    );
  }

  it('has every name, length, time and byte, stored or deflated, in memory or as a stream', async () => {
    const contents: Content[] = [];
    for (const isStream of [false, true]) {
      for (const compress of [false, true]) {
        const kind = `${isStream ? 'stream' : 'memory'}-${compress ? 'deflated' : 'stored'}`;
        const all = [...NAMES.map((name) => [name, Buffer.from(name)] as const), ...SIZES];
        for (const [name, bytes] of all) {
          contents.push({ bytes, isStream, entry: { name: `${kind}/${name}`, modified: MODIFIED, compress } });
        }
      }
    }
    await assertRead(contents);
  });

  it('has times that the format of DOS cannot hold', async () => {
    const times = [0, 86_399, Date.UTC(1979, 11, 31) / 1000, Date.UTC(2037, 11, 31, 23, 59, 59) / 1000];
    await assertRead(
      times.map((modified) => ({
        bytes: Buffer.from(String(modified)),
        isStream: false,
        entry: { name: String(modified), modified, compress: false },
      })),
    );
  });

  it('has more entries than the format had room for at first', async () => {
    await assertRead(
      Array.from({ length: 70_000 }, (_, at) => ({
        bytes: Buffer.from(String(at)),
        isStream: false,
        entry: { name: `${at % 100}/${at}`, modified: MODIFIED, compress: false },
      })),
    );
  });

  it('may be empty', async () => {
    assert.deepEqual(await readWithPython(await write([])), []);
  });

  it('compresses what becomes smaller, and nothing else', () => {
    const writer = new ZipWriter();
    writer.add({ name: 'a', modified: 0, compress: true }, Buffer.alloc(100_000));
    assert.ok(writer.length < 1_000);
    const before = writer.length;
    writer.add({ name: 'b', modified: 0, compress: true }, Buffer.from('b'));
    assert.equal(writer.length - before, 30 + 1 + 9 + 1);
  });

  for (const compress of [false, true]) {
    for (const [problem, length] of [
      ['shorter', LARGE.length + 1],
      ['longer', LARGE.length - 1],
    ] as const) {
      it(`fails when a ${compress ? 'deflated' : 'stored'} content is ${problem} than announced`, async () => {
        const parts = new ZipWriter().addStream({ name: 'a', modified: 0, compress }, inChunks(LARGE), length);
        await assert.rejects(readAll(parts), /content/);
      });
    }
  }

  it('fails with the error of a content that cannot be read', async () => {
    async function* content() {
      yield LARGE;
      throw new Error('the disk is broken');
    }
    for (const compress of [false, true]) {
      const parts = new ZipWriter().addStream({ name: 'a', modified: 0, compress }, content(), LARGE.length * 2);
      await assert.rejects(readAll(parts), /the disk is broken/);
    }
  });
});

const SIZES = [0, 1, 65_534, 65_535, 65_536, 2 * 65_535, LARGE.length].map(
  (length) => [`of ${length}`, LARGE.subarray(0, length)] as const,
);

/** In chunks of odd sizes, also empty ones. */
async function* inChunks(content: Buffer): AsyncGenerator<Uint8Array> {
  yield content.subarray(0, 0);
  for (let at = 0, size = 1; at < content.length; at += size, size = size * 3 + 1) {
    yield content.subarray(at, at + size);
  }
}

async function readAll(parts: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _part of parts);
}
