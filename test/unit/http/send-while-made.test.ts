import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sendWhileMade } from '../../../src/http/routes/oai/send-while-made.ts';

const BEGINNING = '<?xml version="1.0"?>\n';
const late = { beginning: BEGINNING, headers: { 'Content-Type': 'text/xml' }, quietMs: 10 };

describe('An answer that is late', () => {
  let make: () => Promise<string>;
  const server = createServer(async (_request, response) => {
    try {
      const text = await sendWhileMade(response, make(), late);
      if (text !== undefined) response.end(`at once: ${text}`);
    } catch {
      response.destroy();
    }
  });
  before((done) => void server.listen(0, '127.0.0.1', done));
  after((done) => void server.close(done));
  const get = () => fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);

  it('begins at once, and has line feeds before its rest', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    make = () => promise;
    const response = await get();
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'text/xml']);
    let text = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (text.length > BEGINNING.length) resolve(`${BEGINNING}<a/>\n`);
    }
    assert.match(text, /^<\?xml version="1.0"\?>\n\n+<a\/>\n$/);
  });

  it('is cut off when it fails', async () => {
    const { promise, reject } = Promise.withResolvers<string>();
    make = () => promise;
    const response = await get();
    reject(new Error('too bad'));
    await assert.rejects(response.text());
  });

  it('is left to the caller when it is made in time', async () => {
    make = async () => '<a/>';
    assert.equal(await (await get()).text(), 'at once: <a/>');
  });
});
