import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { isTidemarkError } from '../../../../src/core/errors.ts';
import { writeHashedScratchFile } from '../../../../src/datasets/backends/hashed-scratch-file.ts';
import { useTempFolder } from '../../../support/temp-folder.ts';

const SMALL = 256 * 1024;
/** So many small files are kept in memory. */
const MOST_KEPT = 128;

describe('the copy of a file that is archived', () => {
  const folder = useTempFolder();
  const missing = () => folder.at('missing');
  const isUnavailable = (error: unknown) => isTidemarkError(error, 'unavailable');

  async function* chunksOf(bytes: Buffer) {
    for (let at = 0; at < bytes.length; at += 50_000) yield bytes.subarray(at, at + 50_000);
  }
  const write = (bytes: Buffer, path = missing()) =>
    writeHashedScratchFile(chunksOf(bytes), { folder: path, signal: new AbortController().signal });

  for (const size of [0, 1, SMALL, SMALL + 1, 3_000_000]) {
    it(`has the bytes and hashes of ${size} bytes, and ranges of them`, async () => {
      const bytes = randomBytes(size);
      const path = folder.at('scratch');
      mkdirSync(path);
      const file = await write(bytes, path);
      assert.equal(file.length, size);
      assert.equal(file.hashes['sha-256'], hash('sha256', bytes));
      assert.deepEqual(await buffer(file.read(0, size)), bytes);
      assert.deepEqual(await buffer(file.read(1_000, 60_000)), bytes.subarray(1_000, 61_000));
      await file.close();
    });
  }

  it('is in memory when it is small, until 32 MiB are', async () => {
    await assert.rejects(write(randomBytes(SMALL + 1)), isUnavailable);
    const bytes = randomBytes(SMALL);
    const kept = await Promise.all(Array.from({ length: MOST_KEPT }, () => write(bytes)));
    await assert.rejects(write(bytes), isUnavailable);
    await kept[0]!.close();
    // Twice is once.
    await kept[0]!.close();
    const another = await write(bytes);
    await assert.rejects(write(bytes), isUnavailable);
    for (const file of [...kept, another]) await file.close();
    await (await write(bytes)).close();
  });
});
