import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { VERSION } from '../../src/config/version.ts';
import { askJson } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import { Workplace } from '../support/workplace.ts';

/** No server listens there. */
const BASE_URL = 'http://127.0.0.1:1';

describe('tidemark status of a server of another version', () => {
  let place: Workplace;
  let later: Server;
  let said: object;

  beforeEach(async () => {
    place = await Workplace.make(SQLITE);
    const port = await findFreePort();
    const serving = place.start(['serve', '--base-url', BASE_URL, '--port', `${port}`, '--log-level', 'error']);
    await serving.says(/Serving \d+ sets/);
    said = (await askJson(`http://127.0.0.1:${port}/api/status`)).body;
    later = createServer((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(said));
    }).listen(0, '127.0.0.1');
    await once(later, 'listening');
  });

  afterEach(async () => {
    later.closeAllConnections();
    later.close();
    await place.close();
  });

  async function status(...more: readonly string[]): Promise<string> {
    const { port } = later.address() as AddressInfo;
    const { exitCode, stdout, stderr } = await place.run(['status', '--port', `${port}`, ...more]);
    assert.equal(exitCode, 0, stderr);
    return stdout;
  }

  it('shows the figures that it knows of one that has more of them, and says that the versions differ', async () => {
    assert.doesNotMatch(await status(), /version/);
    said = { ...said, version: '9.8.7', moons: 1, pages: { current: 3, outOfDate: 4, torn: 5 } };
    const shown = await status();
    assert.match(shown, /\nServer +runs at http:.*, for /);
    assert.ok(shown.includes(`it is of version 9.8.7, and this command of version ${VERSION}`), shown);
    assert.match(shown, /3 pages current, 4 to be rendered/);
  });

  it('finds one whose figures it cannot read, and names both versions', async () => {
    said = { ...said, version: '9.8.7', pages: 'many' };
    const shown = await status();
    assert.match(shown, /\nServer +runs at http:\S+, and is of version 9\.8\.7: this command, of version /);
    assert.equal(JSON.parse(await status('--json')).server.state, 'unreadable');
  });

  it('finds no server of another source', async () => {
    said = { ...said, version: '9.8.7', storeFile: 'another' };
    assert.match(await status(), /\nServer +none answers/);
  });
});
