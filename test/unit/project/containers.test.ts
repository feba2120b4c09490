import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { answersPing } from '../../support/containers.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

describe('The question to a Docker engine', () => {
  const folder = useTempFolder();

  it('is answered with no where nothing listens, and where the address is unknown', async () => {
    for (const host of [`unix://${folder.at('docker.sock')}`, 'tcp://127.0.0.1:1', 'ssh://docker.example.org']) {
      assert.equal(await answersPing(host), false, host);
    }
  });

  for (const [status, alive] of [
    [200, true],
    [500, false],
  ] as const) {
    it(`is answered with ${alive ? 'yes' : 'no'} by an engine that answers ${status}`, async () => {
      const socket = folder.at('docker.sock');
      const engine = createServer((request, response) => {
        response.writeHead(request.url === '/_ping' ? status : 404, { connection: 'close' }).end('OK');
      });
      await once(engine.listen(socket), 'listening');
      try {
        assert.equal(await answersPing(`unix://${socket}`), alive);
      } finally {
        engine.close();
      }
    });
  }
});
