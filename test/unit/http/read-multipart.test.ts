import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { readMultipart } from '../../../src/http/request/read-multipart.ts';

const HEADERS = { 'content-type': 'multipart/form-data; boundary=x' };
const PART = '--x\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\nabc\r\n';
const PARTS_OF_CHUNK = 10;
const CHUNKS = 100;

describe('A form of many small files', () => {
  let sent: number;
  beforeEach(() => {
    sent = 0;
  });

  async function* body(): AsyncGenerator<Buffer> {
    for (; sent < CHUNKS; sent++) yield Buffer.from(PART.repeat(PARTS_OF_CHUNK));
    yield Buffer.from('--x--\r\n');
  }

  it('is read no faster than its files are', async () => {
    let taken = 0;
    await readMultipart(HEADERS, body(), {
      field: assert.fail,
      async file(_name, file) {
        await setImmediate();
        assert.equal(String(await buffer(file.body)), 'abc');
        assert.ok(sent * PARTS_OF_CHUNK <= taken + 2 * PARTS_OF_CHUNK, `${sent} chunks after ${taken} files`);
        taken += 1;
      },
    });
    assert.equal(taken, CHUNKS * PARTS_OF_CHUNK);
  });

  it('is not read on when a file is refused', async () => {
    const refusing = readMultipart(HEADERS, body(), {
      field: assert.fail,
      async file() {
        await setImmediate();
        throw new Error('refused');
      },
    });
    await assert.rejects(refusing, /refused/);
    assert.ok(sent <= 1, `${sent} chunks were read`);
  });
});
