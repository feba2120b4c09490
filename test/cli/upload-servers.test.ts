import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SQLITE } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import { startHttpProxy } from '../support/http-proxy.ts';
import { Workplace } from '../support/workplace.ts';

describe('uploads to another server', () => {
  let place: Workplace;

  beforeEach(async () => {
    place = await Workplace.make(SQLITE);
  });

  afterEach(() => place.close());

  it('are done when it is of a later version, and says more about them', async () => {
    await writeFile(join(place.folder, 'a.mrc'), 'abc');
    const view = { organization: 'lane', stream: 'main', number: 7, received: '', status: 'waiting', later: true };
    const files = [{ name: 'a.mrc', length: 3, sha256: '', url: '', later: 1 }];
    const later = createServer((request, response) => {
      request.resume();
      response.writeHead(201, { 'Content-Type': 'application/json' }).end(JSON.stringify({ ...view, files }));
    });
    later.listen(0, '127.0.0.1');
    await once(later, 'listening');
    try {
      const url = `http://127.0.0.1:${(later.address() as AddressInfo).port}`;
      const { exitCode, stdout, stderr } = await place.run(['upload', 'lane', 'a.mrc', '--server', url]);
      assert.equal(exitCode, 0, stderr);
      assert.match(stdout, /^Uploaded 1 file, 3 B: lane\/main\/7\n/);
    } finally {
      later.closeAllConnections();
      later.close();
      await once(later, 'close');
    }
  });

  it('send nothing elsewhere when the proxy before it names another address', async () => {
    for (const args of [
      ['organizations', 'add', 'lane'],
      ['streams', 'add', 'lane', 'main'],
    ]) {
      assert.equal((await place.run(args)).exitCode, 0);
    }
    await writeFile(join(place.folder, 'long.mrc'), randomBytes(40_000_000));
    const port = await findFreePort();
    const serving = place.start(['serve', '--port', `${port}`, '--log-level', 'error']);
    await serving.says(/Serving \d+ sets/);
    const elsewhere = `http://127.0.0.1:${await findFreePort()}/api/organizations/lane/`;
    const proxy = await startHttpProxy(port, {
      rewrite: ({ location, ...headers }) => ({ ...headers, ...(location && { location: elsewhere + location }) }),
    });
    try {
      const { exitCode, stdout, stderr } = await place.run(['upload', 'lane', 'long.mrc', '--server', proxy.url]);
      assert.equal(exitCode, 0, stderr);
      assert.match(stdout, /^Uploaded 1 file, 40.0 MB: lane\/main\/1\n/);
    } finally {
      await proxy.close();
    }
    serving.signal('SIGTERM');
    assert.equal(await serving.exit(), 0);
  });
});
