import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { TidemarkError } from '../../../src/core/errors.ts';
import { readResuming } from '../../../src/lib/s3/read-resuming.ts';

/** Reads ten bytes; each request gets the next answer. Returns what was read, and the positions of the requests. */
async function read(...answers: readonly (readonly string[])[]) {
  const requests: number[] = [];
  const chunks: Buffer[] = [];
  const failure = (message: string) => new TidemarkError('unavailable', message);
  const bytes = readResuming({
    start: 0,
    end: 9,
    signal: new AbortController().signal,
    async open(from) {
      requests.push(from);
      return Readable.from((answers[requests.length - 1] ?? []).map((text) => Buffer.from(text)));
    },
    tooLong: () => failure('too long'),
    cutOff: () => failure('cut off'),
    errorOf: (error) => (error instanceof TidemarkError ? error : failure(String(error))),
  });
  for await (const chunk of bytes) chunks.push(chunk);
  return { text: Buffer.concat(chunks).toString(), requests };
}

describe('readResuming', () => {
  it('requests the rest of bytes that were cut off', async () => {
    assert.deepEqual(await read(['0123'], ['45'], ['6789']), { text: '0123456789', requests: [0, 4, 6] });
  });

  it('fails when more bytes arrive than there are, also with the last chunk', async () => {
    await assert.rejects(read(['0123', '456789+']), /too long/);
    await assert.rejects(read(['0123'], ['456789', '+']), /too long/);
  });

  it('gives up after three breaks in a row', async () => {
    await assert.rejects(read(['0'], [], [], []), /cut off/);
  });
});
