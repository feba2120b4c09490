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
  let shared: StartedApp;
  let started: StartedApp;
  const sockets: Socket[] = [];

  before(async () => {
    shared = await start(1_000);
  });
  beforeEach(() => {
    started = shared;
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  after(closeApps);

  async function start(idleTimeoutMs: number): Promise<StartedApp> {
    const started = await startApp(SQLITE, { idleTimeoutMs });
    await started.app.sets.add({ slug: 'files' });
    const names = Array.from({ length: 5_000 }, (_, number) => `${number}/${'long-'.repeat(350)}`);
    const events = names.map((value) => ({ location: { value, type: 'rel_path' }, change: 'created' }));
    const body = events.map((event) => JSON.stringify(event)).join('\n');
    await ask(`${started.url}/api/sets/files/changes`, { method: 'POST', headers: NDJSON_BODY, body });
    return started;
  }

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

  it('are limited together: those that have waited longest are cut off', async () => {
    started = await start(60_000);
    const { length } = Buffer.from(await (await fetch(`${started.url}${LARGE}`)).arrayBuffer());
    const waiting: Socket[] = [];
    for (let at = 0; at < 8; at++) waiting.push(await readBeginning(headOf(`GET ${LARGE}`, KEPT)));

    assert.ok((await restOf(waiting.at(0)!, length)) < length, 'the oldest one was not cut off');
    assert.ok((await restOf(waiting.at(-1)!, length)) >= length, 'the newest one was cut off');
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

/** Reads until so many bytes have come, or the connection has ended. Returns how many have come, with the head. */
async function restOf(socket: Socket, most: number): Promise<number> {
  const ended = once(socket, 'close');
  socket.on('data', () => socket.bytesRead >= most && socket.destroy());
  socket.on('error', () => {});
  socket.resume();
  await ended;
  return socket.bytesRead;
}
