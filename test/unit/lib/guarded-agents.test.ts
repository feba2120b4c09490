import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type Server } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { isPrivateAddress } from '../../../src/lib/http/failure.ts';
import { guardedAgents } from '../../../src/lib/http/guarded-agents.ts';
import { addressFilter } from '../../../src/lib/http/private-host.ts';

describe('guardedAgents', () => {
  let server: Server;
  before(async () => {
    server = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => server.close());

  /** `200`, or `private` when the address was refused, or the code of the error. */
  async function request(host: string, networks: readonly string[] | 'all', addresses: readonly string[] = []) {
    const lookup: LookupFunction = (_name, { all }, callback) => {
      if (!all) callback(null, addresses[0]!, 4);
      else
        callback(
          null,
          addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        );
    };
    const { http } = guardedAgents(networks, { ...(addresses.length > 0 && { lookup }) });
    const { port } = server.address() as AddressInfo;
    try {
      return await new Promise((resolve) => {
        get(`http://${host}:${port}/`, { agent: http }, (response) => resolve(response.resume().statusCode)).on(
          'error',
          (error) => resolve(isPrivateAddress(error) ? 'private' : (error as NodeJS.ErrnoException).code),
        );
      });
    } finally {
      http.destroy();
    }
  }

  it('checks each address when it connects, however it is written', async () => {
    for (const host of [
      '127.0.0.1',
      '127.1',
      '0x7f000001',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::7f00:1]',
      '0.0.0.0',
      '[::]',
    ])
      assert.equal(await request(host, ['10.0.0.0/8', 'fd00::/8']), 'private', host);
    for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]'])
      assert.equal(await request(host, ['127.0.0.0/8']), 200, host);
    assert.equal(await request('127.0.0.1', 'all'), 200);
  });

  it('connects to those addresses of a name that are allowed', async () => {
    assert.equal(await request('a.example', [], ['127.0.0.1', '10.1.2.3']), 'private');
    assert.equal(await request('a.example', ['127.0.0.1'], ['10.1.2.3', '::1', '127.0.0.1']), 200);
  });
});

describe('addressFilter', () => {
  it('allows addresses of the internet, and of networks that are named', () => {
    const isAllowed = addressFilter(['10.1.0.0/16', 'fd12::/16', '192.0.2.7']);
    for (const address of ['8.8.8.8', '2606:4700::1', '10.1.2.3', 'fd12::1', '192.0.2.7', '::ffff:10.1.2.3'])
      assert.equal(isAllowed(address), true, address);
    for (const address of [
      ...['10.2.0.1', '100.64.0.1', '169.254.169.254', '192.0.0.8', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
      ...['::', '::1', '::7f00:1', '::a01:1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:0:7f00:1', 'fe80::1'],
      ...['64:ff9b::7f00:1', '64:ff9b:1::7f00:1', '2002:7f00:1::1', '2001:0:7f00:1::1', 'fec0::1', 'fd00:ec2::254'],
      ...['ff02::1', '100::1', '5f00::1'],
    ])
      assert.equal(isAllowed(address), false, address);
  });
});
