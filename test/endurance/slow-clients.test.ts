import assert from 'node:assert/strict';
import { once } from 'node:events';
import { truncate, utimes, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { originOfRoot } from '../../src/core/stored-set.ts';
import { connectionLimits } from '../../src/http/server/connections.ts';
import { ask, askJson, NDJSON_BODY } from '../support/ask.ts';
import { ChildScript } from '../support/child-script.ts';
import { SQLITE } from '../support/each-store.ts';
import type { IdleOptions } from '../support/idle-connections.ts';
import type { LimitedServerOptions } from '../support/limited-server.ts';
import { headOf, openSocket, statusOf } from '../support/raw-http.ts';
import { closeApps, makeFolder, type StartedApp, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';

const POST = 'POST /api/sets/files/changes';
const JSON_TYPE = { 'Content-Type': 'application/json' };
const CHUNKED = { 'Transfer-Encoding': 'chunked' };
const LARGE_FILE = 64 * 1024 * 1024;
/** Milliseconds, longer than any test: for limits that are not to be reached. */
const TIMEOUT_MS = 600_000;
/**
 * Milliseconds in which others are served, on a machine that is busy with other tests: a client that is held up waits
 * for far longer.
 */
const PROMPTLY = 8_000;

interface Idle {
  readonly open: number;
  /** Those too that were closed since. */
  readonly connected: number;
}

describe('Slow and many clients', () => {
  const scripts: ChildScript<unknown>[] = [];
  const sockets: Socket[] = [];
  let prepared: StartedApp;
  let server: ChildScript<{ url: string }>;
  let url: string;

  // One set of one large file and 20,000 resources that are posted, for all tests.
  before(async () => {
    prepared = await startApp(SQLITE);
    const root = await makeFolder(prepared, 'files');
    await prepared.app.sets.add({ slug: 'files', origin: originOfRoot(root) });
    await prepared.app.sets.markReady('files');
    await writeFile(join(root, 'large'), '');
    await truncate(join(root, 'large'), LARGE_FILE);
    await utimes(join(root, 'large'), 1e9, 1e9);
    const names = ['large', ...Array.from({ length: 20_000 }, (_, number) => `listed/${number}/${'name '.repeat(20)}`)];
    const body = names.map((name) => JSON.stringify(event(name))).join('\n');
    await ask(`${prepared.url}/api/sets/files/changes`, { method: 'POST', headers: NDJSON_BODY, body });
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const script of scripts.splice(0).toReversed()) await script.stop();
  });
  after(closeApps);

  /** A server of that set in a process of its own. */
  async function start(options: Omit<LimitedServerOptions, 'folder' | 'baseUrl'>): Promise<void> {
    const { folder, url: baseUrl } = prepared;
    server = run<{ url: string }>('limited-server.ts', { folder, baseUrl, ...options });
    url = (await server.line()).url;
    // Once, so that what is made for the first time is there.
    await ask(list());
    await ask(capabilityList());
  }

  const event = (value: string) => ({ location: { value, type: 'rel_path' }, change: 'created' });
  const capabilityList = () => `${url}/sets/files/capabilitylist.xml`;
  const list = () => `${url}/sets/files/resourcelist.xml`;

  function run<Line>(script: string, options: object): ChildScript<Line> {
    const started = new ChildScript<Line>(`./${script}`, options);
    scripts.push(started);
    return started;
  }

  async function open(): Promise<Socket> {
    const socket = await openSocket(url);
    sockets.push(socket);
    return socket;
  }

  /** Opens so many connections that each send this, and read nothing. */
  async function openMany(count: number, text: string): Promise<Socket[]> {
    const opened: Socket[] = [];
    for (let at = 0; at < count; at += 100) {
      opened.push(...(await Promise.all(Array.from({ length: Math.min(100, count - at) }, open))));
    }
    for (const socket of opened) socket.write(text);
    return opened;
  }

  /** Others get documents and post changes meanwhile. */
  async function requireOthersServed(): Promise<void> {
    for (let time = 0; time < 5; time++) {
      const began = performance.now();
      assert.equal((await ask(capabilityList())).status, 200);
      const { body } = await askJson(`${url}/api/sets/files/changes`, { changes: [event(`other-${time}`)] });
      assert.notEqual(body.results[0].status, 'rejected');
      const took = performance.now() - began;
      assert.ok(took < PROMPTLY, `others waited ${took} ms`);
    }
  }

  describe('that leave 10,000 connections idle', () => {
    /** Some that say nothing, and as many that ask for something and then for nothing more. */
    const leaveIdle = async (connections: number) => {
      const text = headOf(`GET ${new URL(capabilityList()).pathname}`, { Connection: 'keep-alive' });
      const silent = run<Idle>('idle-connections.ts', { url, connections, text: '' } satisfies IdleOptions);
      const kept = run<Idle>('idle-connections.ts', { url, connections, text } satisfies IdleOptions);
      return [await silent.line(), await kept.line(), silent, kept] as const;
    };

    it('take little memory, and all other clients are served', async function () {
      // Where the system permits fewer open files, the server permits fewer connections.
      if (process.env.CI !== 'true' && connectionLimits().most < 11_000) this.skip();
      await start({
        idleTimeoutMs: TIMEOUT_MS,
        connections: { headersTimeout: TIMEOUT_MS, keepAliveTimeout: TIMEOUT_MS },
      });
      const before = server.memory().now;
      const [silent, kept] = await leaveIdle(5_000);
      assert.equal(silent.open + kept.open, 10_000);
      await requireOthersServed();
      const grown = server.memory().peak - before;
      assert.ok(grown < 400, `10,000 idle connections take ${grown} MB`);
    });

    it('are closed in time', async () => {
      await start({
        idleTimeoutMs: TIMEOUT_MS,
        connections: { headersTimeout: 1_000, keepAliveTimeout: 1_500, checkInterval: 200 },
      });
      const [, , ...scripts] = await leaveIdle(500);
      for (const script of scripts) {
        await until('all are closed', async () => (await script.asked()).open === 0);
        assert.equal((await script.asked()).connected, 500);
      }
      await requireOthersServed();
    });

    it('make room for others when there are too many', async () => {
      await start({ idleTimeoutMs: TIMEOUT_MS, connections: { most: 100 } });
      const text = headOf(`GET ${new URL(capabilityList()).pathname}`, { Connection: 'keep-alive' });
      const kept = run<Idle>('idle-connections.ts', { url, connections: 89, text } satisfies IdleOptions);
      assert.equal((await kept.line()).connected, 89);
      for (let time = 0; time < 30; time++) (await open()).write(text);
      assert.equal((await ask(capabilityList())).status, 200);
      await until('some are closed', async () => (await kept.asked()).open < 89);
    });
  });

  describe('that read slowly', () => {
    const openFiles = () => server.openFiles(/\/large$|\.xml\.gz$/);

    for (const [what, path, count] of [
      ['a large file', '/sets/files/resources/large', 100],
      ['a large document', '/sets/files/resourcelist.xml', 200],
    ] as const) {
      it(`take little memory for ${what}, and are cut off when they take nothing`, async () => {
        await start({ idleTimeoutMs: 2_500, connections: {} });
        const before = server.memory().now;
        const files = openFiles();
        const readers = await openMany(count, headOf(`GET ${path}`));
        for (const reader of readers) reader.pause();
        await wait(300);
        await requireOthersServed();
        const grown = server.memory().peak - before;
        assert.ok(grown < 250, `${count} slow readers take ${grown} MB`);
        await until('all are cut off', async () => openFiles() <= files);
      });
    }

    it('leave no file open when they go away', async () => {
      await start({ idleTimeoutMs: 10_000, connections: {} });
      const files = openFiles();
      for (let time = 0; time < 4; time++) {
        const readers = await openMany(50, headOf('GET /sets/files/resources/large'));
        await wait(time * 20);
        for (const reader of readers) reader.destroy();
      }
      await until('all are closed', async () => openFiles() <= files);
    });

    it('are not cut off as long as they take something', async () => {
      const idleTimeoutMs = 1_500;
      await start({ idleTimeoutMs, connections: {} });
      const readSlowly = async () => {
        const [reader] = (await openMany(1, headOf('GET /sets/files/resources/large'))) as [Socket];
        const began = performance.now();
        let read = 0;
        reader.on('data', (chunk: Buffer) => {
          read += chunk.length;
          if (performance.now() - began > 2 * idleTimeoutMs) return;
          reader.pause();
          setTimeout(() => reader.resume(), 20).unref();
        });
        await new Promise((resolve) => reader.once('close', resolve));
        return read;
      };
      // Where one of the two is paused for that long itself, it is cut off.
      await until('all of it is read', async () => (await readSlowly()) > LARGE_FILE);
    });
  });

  describe('that write slowly', () => {
    it('are cut off when a head does not end', async () => {
      await start({ idleTimeoutMs: 10_000, connections: { headersTimeout: 800, checkInterval: 200 } });
      const writers = await openMany(500, 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ');
      const dribble = setInterval(() => {
        for (const writer of writers) if (writer.writable) writer.write('a');
      }, 50);
      try {
        await requireOthersServed();
        await until('all are closed', async () => writers.every(({ closed }) => closed));
      } finally {
        clearInterval(dribble);
      }
    });

    it('are waited for as long as a body comes, byte by byte', async () => {
      await start({ idleTimeoutMs: 1_000, connections: {} });
      const body = JSON.stringify({ changes: [event('slow')] });
      const writeSlowly = async () => {
        const writer = await open();
        writer.write(headOf(POST, { ...JSON_TYPE, 'Content-Length': String(body.length) }));
        const answer = once(writer, 'data') as Promise<[Buffer]>;
        for (const letter of body) {
          writer.write(letter);
          await wait(25);
        }
        return statusOf((await answer)[0]);
      };
      // Where one of the two is paused for that long itself, it is not waited for.
      await until('it is taken', async () => {
        const status = await writeSlowly();
        assert.match(String(status), /200|408/);
        return status === 200;
      });
    });

    it('leave 2,000 posts half open, which are answered with 408', async () => {
      await start({ idleTimeoutMs: 1_500, connections: {} });
      const before = server.memory().now;
      const head = headOf(POST, { ...JSON_TYPE, 'Content-Length': '1000' });
      const writers = await openMany(2_000, `${head}{"changes":[`);
      const answers = writers.map((writer) => once(writer, 'data').then(([data]) => statusOf(data)));
      await requireOthersServed();
      assert.deepEqual(new Set(await Promise.all(answers)), new Set([408]));
      const grown = server.memory().peak - before;
      assert.ok(grown < 250, `2,000 half-open posts take ${grown} MB`);
    });
  });

  describe('that send bodies without end', () => {
    const chunk = (text: string | Buffer) =>
      Buffer.concat([Buffer.from(`${text.length.toString(16)}\r\n`), Buffer.from(text), Buffer.from('\r\n')]);
    const ENDLESS = 200 * 1024 * 1024;

    /** Sends the same again and again until an answer comes, the connection is cut, or it was enough. */
    async function sendOn(head: string, part: Buffer): Promise<{ status: number; sent: number; answer: string }> {
      const writer = await open();
      let answer = '';
      writer.on('data', (data: Buffer) => {
        answer += data.toString('latin1');
      });
      writer.write(head);
      let sent = 0;
      while (answer === '' && writer.writable && sent < ENDLESS) {
        sent += part.length;
        if (!writer.write(part)) await Promise.race([once(writer, 'drain').catch(() => {}), wait(100)]);
      }
      if (answer === '') await until('an answer', async () => answer !== '' || writer.closed);
      writer.destroy();
      return { status: statusOf(Buffer.from(answer, 'latin1')), sent, answer };
    }

    it('as JSON are refused above the limit', async () => {
      await start({ idleTimeoutMs: 5_000, connections: {} });
      const before = server.memory().now;
      const { status, sent } = await sendOn(headOf(POST, { ...JSON_TYPE, ...CHUNKED }), chunk(' '.repeat(65_536)));
      assert.equal(status, 413);
      assert.ok(sent < ENDLESS / 2, `${sent} bytes were taken`);
      assert.ok(server.memory().peak - before < 150);
    });

    it('as a line without end are dropped as they come', async () => {
      await start({ idleTimeoutMs: 5_000, connections: {} });
      const before = server.memory().now;
      const writer = await open();
      writer.write(headOf(POST, { ...NDJSON_BODY, ...CHUNKED }));
      const part = chunk('a'.repeat(262_144));
      for (let sent = 0; sent < ENDLESS; sent += part.length) {
        if (!writer.write(part)) await once(writer, 'drain');
      }
      await requireOthersServed();
      const grown = server.memory().peak - before;
      assert.ok(grown < 150, `a line without end takes ${grown} MB`);
      const answer = once(writer, 'data') as Promise<[Buffer]>;
      writer.write('0\r\n\r\n');
      assert.match(String((await answer)[0]), /line-too-long/);
    });

    it('as gzip of far more are refused, whichever the format', async () => {
      await start({ idleTimeoutMs: 5_000, connections: {} });
      const before = server.memory().now;
      const bomb = gzipSync(Buffer.alloc(ENDLESS), { level: 9 });
      for (const [type, expected] of [
        ['application/json', /"code":"body-too-large"/],
        ['application/x-ndjson', /line-too-long/],
      ] as const) {
        const headers = { 'Content-Type': type, 'Content-Encoding': 'gzip' };
        const { text } = await ask(`${url}/api/sets/files/changes`, { method: 'POST', headers, body: bomb });
        assert.match(text, expected);
      }
      const grown = server.memory().peak - before;
      assert.ok(grown < 150, `a bomb of gzip takes ${grown} MB`);
    });

    it('to what takes no body are answered, and cut off', async () => {
      await start({ idleTimeoutMs: 5_000, connections: {} });
      const requests = ['GET /sets/files/capabilitylist.xml', 'POST /api/sets/none/changes', 'PUT /'];
      const endless = async (request: string) => {
        const writer = await open();
        let answer = '';
        writer.on('data', (data: Buffer) => {
          answer += data.toString('latin1');
        });
        writer.write(headOf(request, { ...NDJSON_BODY, ...CHUNKED, Connection: 'keep-alive' }));
        const sending = setInterval(() => writer.write(chunk('{}\n')), 50);
        try {
          await new Promise((resolve) => writer.once('close', resolve));
        } finally {
          clearInterval(sending);
        }
        assert.match(answer, /^HTTP\/1\.1 (?:200|404|405) /, request);
      };
      await Promise.all(requests.map(endless));
    });
  });
});
