import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { TidemarkError } from '../../../src/core/errors.ts';
import { answerWithLines } from '../../../src/http/routes/datasets/answer-lines.ts';

describe('The lines that answer a stream of requests of datasets', () => {
  it('end with what was wrong when the store goes away: no request is called rejected', async () => {
    let calls = 0;
    const add = async () => {
      calls += 1;
      if (calls > 1) throw new TidemarkError('unavailable', 'the store does not answer');
    };
    let thrown: Promise<unknown> | undefined;
    const app = express().post('/', (request, response) => {
      thrown = answerWithLines(response, request, { idleTimeoutMs: 10_000, add }).catch((error: unknown) => error);
    });
    const server = createServer(app).listen(0, '127.0.0.1');
    try {
      await once(server, 'listening');
      const body = Array.from({ length: 201 }, (_, at) => `https://data.example.org/${at}\n`).join('');
      const { port } = server.address() as AddressInfo;
      const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body });
      const lines = (await answer.text()).trimEnd().split('\n');
      const { complete, added, rejected, error } = JSON.parse(lines.at(-1)!);
      assert.deepEqual([lines.length, complete, added, rejected, error.code], [201, false, 200, 0, 'unavailable']);
      assert.match(String(await thrown), /the store does not answer/);
    } finally {
      server.close();
    }
  });
});
