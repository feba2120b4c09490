import assert from 'node:assert/strict';
import { closeSync, constants, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { ALIGNED_MEMORY } from '../../../src/artifacts/block-memory.ts';
import { BlockFile, FILE_BLOCK_BYTES } from '../../../src/artifacts/folder/block-file.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

const WHOLE_BLOCKS = 3;
const TAIL_BYTES = 12_345;

describe('a file that is written in blocks', () => {
  const folder = useTempFolder();

  it('is written past the page cache, in any order', async function () {
    if (!canWriteDirectly(folder.at('probe'))) this.skip();
    const { blocks, bytes } = someBlocks(() => new Uint8Array(ALIGNED_MEMORY.take(FILE_BLOCK_BYTES)));
    const file = await BlockFile.create(folder.at('file'));
    await Promise.all(blocks.toReversed().map((block) => file.write(block)));
    assert.deepEqual(directlyOpened(), [folder.at('file')]);
    await file.sync();
    await file.close();
    assert.deepEqual(directlyOpened(), []);
    assert.equal(Buffer.compare(readFileSync(folder.at('file')), bytes), 0);
  });

  it('is written from memory at any address', async () => {
    const { blocks, bytes } = someBlocks(() => Buffer.alloc(FILE_BLOCK_BYTES + 1).subarray(1));
    const file = await BlockFile.create(folder.at('file'));
    await Promise.all(blocks.map((block) => file.write(block)));
    await file.sync();
    await file.close();
    assert.equal(Buffer.compare(readFileSync(folder.at('file')), bytes), 0);
  });

  it('uses the memory of one body for the next', () => {
    const first = [ALIGNED_MEMORY.take(FILE_BLOCK_BYTES), ALIGNED_MEMORY.take(FILE_BLOCK_BYTES)];
    for (const memory of first) ALIGNED_MEMORY.give(memory);
    const second = [ALIGNED_MEMORY.take(FILE_BLOCK_BYTES), ALIGNED_MEMORY.take(FILE_BLOCK_BYTES)];
    assert.deepEqual(new Set(second), new Set(first));
    assert.equal(ALIGNED_MEMORY.take(2 * FILE_BLOCK_BYTES).byteLength, 2 * FILE_BLOCK_BYTES);
  });
});

/** Some blocks and a shorter last one, and their bytes together. */
function someBlocks(take: () => Uint8Array) {
  const blocks = Array.from({ length: WHOLE_BLOCKS + 1 }, (_, at) => {
    const memory = take();
    for (let place = 0; place < memory.length; place++) memory[place] = (place * 31 + at) & 0xff;
    return { at, bytes: at < WHOLE_BLOCKS ? memory : memory.subarray(0, TAIL_BYTES), isOnly: false };
  });
  return { blocks, bytes: Buffer.concat(blocks.map(({ bytes }) => bytes)) };
}

function canWriteDirectly(path: string): boolean {
  try {
    closeSync(openSync(path, constants.O_CREAT | constants.O_WRONLY | constants.O_DIRECT));
    return true;
  } catch {
    return false;
  }
}

/** The files that this process has open with O_DIRECT. */
function directlyOpened(): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      const flags = /^flags:\t(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))![1]!;
      const isDirect = (Number.parseInt(flags, 8) & constants.O_DIRECT) !== 0;
      return isDirect ? readlinkSync(`/proc/self/fd/${descriptor}`) : [];
    } catch {
      // It was that of the folder, which is closed by now.
      return [];
    }
  });
}
