import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { readAll } from '../../../src/lib/elasticsearch/bounded-connection.ts';

const TEXT = '{"title":"Känguru 🗺"}';

describe('The body of a response of Elasticsearch', () => {
  for (const size of [1, 2, 3, 1000]) {
    it(`is the same text when it arrives in pieces of ${size} bytes`, async () => {
      assert.equal(await readAll(inPieces(size), Buffer.byteLength(TEXT)), TEXT);
    });
  }

  it('is refused when it has one byte more than permitted', async () => {
    await assert.rejects(readAll(inPieces(4), Buffer.byteLength(TEXT) - 1), { name: 'RequestAbortedError' });
  });

  it('is a fault of the connection when it ends early', async () => {
    const broken = Readable.from(
      (async function* () {
        yield Buffer.from(TEXT);
        throw new Error('other side closed');
      })(),
    );
    await assert.rejects(readAll(broken, 1000), { name: 'ConnectionError', message: 'other side closed' });
  });
});

function inPieces(size: number): Readable {
  const bytes = Buffer.from(TEXT);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  return Readable.from(pieces, { objectMode: false });
}
