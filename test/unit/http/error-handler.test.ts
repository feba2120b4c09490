import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import express from 'express';
import { pino } from 'pino';
import { TidemarkError } from '../../../src/core/errors.ts';
import { errorHandler, type ShowErrorPage } from '../../../src/http/response/error-handler.ts';
import { ask } from '../../support/ask.ts';

describe('An error whose page cannot be shown', () => {
  let server: Server;
  let logged: { readonly level: number; readonly err: { readonly message: string } }[];
  beforeEach(() => {
    logged = [];
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  async function start(showPage: ShowErrorPage): Promise<string> {
    const log = new Writable({
      write: (line: Buffer, _encoding, done) => {
        logged.push(JSON.parse(String(line)));
        done();
      },
    });
    const app = express();
    app.use(() => {
      throw new TidemarkError('not-found', 'there is no such set');
    });
    app.use(errorHandler(pino(log), showPage));
    server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  const browser = { headers: { Accept: 'text/html' } };

  it('is sent as JSON, with its own status, and the fault of the page is logged', async () => {
    const url = await start(async () => {
      throw new Error('the page is broken');
    });
    const { status, text } = await ask(url, browser);
    assert.equal(status, 404);
    assert.deepEqual(JSON.parse(text), { error: { code: 'not-found', message: 'there is no such set' } });
    assert.deepEqual(
      logged.map(({ err }) => err.message),
      ['the page is broken'],
    );
  });

  it('cuts the connection when a part of the page was sent', async () => {
    const url = await start(async (_request, response) => {
      response.write('<!doctype html>');
      throw new Error('the page is broken');
    });
    await assert.rejects(ask(url, browser), { code: 'ECONNRESET' });
    assert.equal(logged.length, 1);
  });
});
