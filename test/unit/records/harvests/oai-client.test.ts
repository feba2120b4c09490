import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { OaiClient, type OaiClientOptions } from '../../../../src/records/arrivals/oai-harvest/oai-client.ts';
import type { FaultName } from '../../../support/oai-faults.ts';
import { OaiServer, oaiRecords } from '../../../support/oai-server.ts';

describe('OaiClient', () => {
  let server: OaiServer;
  let client: OaiClient;
  beforeEach(async () => {
    server = await OaiServer.start({ records: oaiRecords(3) });
  });
  afterEach(async () => {
    await client.close();
    await server.close();
  });

  const read = (options: Partial<OaiClientOptions> = {}, url = server.url) => {
    client = new OaiClient({ networks: ['127.0.0.1'], mostBytes: 1_000_000, attempts: 1, ...options });
    const { signal } = new AbortController();
    return client.read(`${url}?verb=ListRecords&metadataPrefix=oai_dc`, signal, (chunks) => buffer(chunks));
  };
  const withFault = (name: FaultName) => server.change({ fault: { name, page: 1 } });

  it('gives up a server that sends nothing, or each byte alone', async () => {
    withFault('silent');
    await assert.rejects(read({ idleMs: 100 }), /sent nothing for 0.1 seconds/);
    await client.close();
    withFault('slow-drip');
    await assert.rejects(read({ idleMs: 200, responseMs: 300 }), /took longer than 0.3 seconds/);
  });

  it('waits as long as Retry-After says, up to an hour', async () => {
    const pauses: number[] = [];
    server.change({ fault: { name: 'retry-after', page: 1, times: 1 } });
    assert.ok((await read({ attempts: 2, onPause: (_, ms) => pauses.push(ms) })).length > 0);
    assert.deepEqual(pauses, [1_000]);
    await client.close();
    withFault('retry-after-a-day');
    await assert.rejects(read({ attempts: 2 }), /the server answers 503/);
  });

  it('requests no private network that was not allowed, and says what to do', async () => {
    await assert.rejects(read({ networks: [] }), /private network.*--harvest-networks/);
    assert.deepEqual(server.queries, []);
  });

  it('refuses an answer above the limit, whatever its length says', async () => {
    withFault('huge-answer');
    await assert.rejects(read({ attempts: 2 }), /more than 1,000,000 bytes/);
    assert.equal(server.queries.length, 1);
  });
});
