import assert from 'node:assert/strict';
import { freed } from '../../../../src/records/arrivals/store-file.ts';

const LARGE = 64 * 1024;

describe('The chunks of an upload', () => {
  it('take no memory any more when the next one is requested', async () => {
    const chunks = [Buffer.alloc(LARGE, 'a'), Buffer.alloc(LARGE, 'b')];
    assert.deepEqual(await lengthsWhileRead(chunks), [
      [LARGE, LARGE],
      [0, LARGE],
    ]);
    assert.deepEqual(lengthsOf(chunks), [0, 0]);
  });

  it('keep it when something else may be in it', async () => {
    const whole = Buffer.alloc(2 * LARGE, 'a');
    const small = Buffer.from('a few bytes');
    const shared = new Uint8Array(new SharedArrayBuffer(LARGE));
    const chunks = [whole.subarray(0, LARGE), whole.subarray(LARGE), small, shared];
    await lengthsWhileRead(chunks);
    assert.deepEqual(lengthsOf(chunks), [LARGE, LARGE, small.length, LARGE]);
  });
});

/** The lengths of all chunks, each time that one is read. */
async function lengthsWhileRead(chunks: readonly Uint8Array[]): Promise<number[][]> {
  const lengths: number[][] = [];
  for await (const chunk of freed(chunks)) {
    assert.ok(chunk.length > 0);
    lengths.push(lengthsOf(chunks));
  }
  return lengths;
}

const lengthsOf = (chunks: readonly Uint8Array[]): number[] => chunks.map(({ length }) => length);
