import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { ask, NDJSON_BODY } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { headOf, openSocket } from '../support/raw-http.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';

/** More than the system takes for a client that reads nothing. */
const LARGE = '/api/sets/files/resources?limit=10000';
const KEPT = { Connection: 'keep-alive' };

describe('Answers that a client does not read', () => {
  let started: StartedApp;
  const sockets: Socket[] = [];

  beforeEach(async () => {
    started = await startApp(SQLITE, { idleTimeoutMs: 1_000 });
    await started.app.sets.add({ slug: 'files' });
    const names = Array.from({ length: 5_000 }, (_, number) => `${number}/${'long-'.repeat(350)}`);
    const events = names.map((value) => ({ location: { value, type: 'rel_path' }, change: 'created' }));
    const body = events.map((event) => JSON.stringify(event)).join('\n');
    await ask(`${started.url}/api/sets/files/changes`, { method: 'POST', headers: NDJSON_BODY, body });
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await closeApps();
  });

  const inFlight = () => started.app.metrics.http.inFlight;

  /** Sends requests, waits until an answer begins, and reads no more. */
  async function readBeginning(requests: string): Promise<Socket> {
    const socket = await openSocket(started.url);
    sockets.push(socket);
    socket.write(requests);
    await once(socket, 'data');
    socket.pause();
    return socket;
  }

  it('are cut off in time, also JSON', async () => {
    await readBeginning(headOf(`GET ${LARGE}`, KEPT));
    assert.equal(inFlight(), 1);
    await until('it is cut off', async () => inFlight() === 0);
  });

  it('are made one at a time when many are requested at once', async () => {
    const socket = await readBeginning(headOf(`GET ${LARGE}`, KEPT).repeat(50));
    assert.equal(inFlight(), 1);
    socket.destroy();
    await until('no request is left', async () => inFlight() === 0);
  });

  it('end the connection when too many are requested at once', async () => {
    const socket = await openSocket(started.url);
    sockets.push(socket);
    socket.write(headOf('GET /api/openapi.json', KEPT).repeat(1_000));
    socket.resume();
    await new Promise((resolve) => socket.once('close', resolve));
    await until('no request is left', async () => inFlight() === 0);
  });
});
