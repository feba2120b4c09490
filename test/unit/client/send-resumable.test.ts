import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { MOST_FAILURES, sendResumable } from '../../../src/cli/send-resumable.ts';
import { type FileServer, startFileServer } from '../../support/file-server.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

describe('A client of resumable uploads', () => {
  const folder = useTempFolder();
  let server: FileServer;

  afterEach(() => server.close());

  it('tries again until ten attempts in a row have not stored a byte', async () => {
    let stored = 0;
    server = await startFileServer((request, response) => {
      if (request.method === 'GET') response.end('{"uploads":[]}');
      else if (request.method === 'POST') response.writeHead(201, { Location: '/all/1' }).end();
      else if (request.method === 'HEAD') response.writeHead(200, { 'Upload-Offset': stored }).end();
      else {
        // The third attempt stores a byte, and its answer is lost.
        attempts += 1;
        if (attempts === 3) stored = 1;
        request.socket.destroy();
      }
    });
    let attempts = 0;
    folder.write('new.mrc', 'abc');
    const { mtimeMs: modified } = statSync(folder.at('new.mrc'));
    const breaks: string[] = [];
    const form = { fields: {}, files: [{ path: folder.at('new.mrc'), name: 'new.mrc', length: 3, modified }] };
    const sending = sendResumable(new URL(`${server.url}/all`), form, {
      token: undefined,
      signal: new AbortController().signal,
      backoff: { firstMs: 1, longestMs: 1 },
      onBreak: (reason) => void breaks.push(reason),
      onProgress() {},
    });
    await assert.rejects(sending, { code: 'unavailable' });
    assert.equal(MOST_FAILURES, 10);
    // Three before the byte, and all but the last one after it.
    assert.equal(breaks.length, 3 + MOST_FAILURES - 1);
  });
});
