import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mock } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { openApp } from '../../src/app.ts';
import type { ServedApp } from '../../src/http/request/served-app.ts';
import { startServer } from '../../src/http/server/server.ts';
import type { RootFile } from '../../src/sources/content-root.ts';
import { ask, askJson } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { headOf, openSocket, sendRaw } from '../support/raw-http.ts';
import { closeApps, makeFolder, type StartedApp, startApp } from '../support/start-app.ts';

const MODIFIED = Date.UTC(2026, 0, 31, 12) / 1000;
/** Milliseconds after which a document is made anew even so. */
const KEPT_FOR = 10_000;
/** With it a request is never answered from memory. */
const ANEW = { Cookie: 'anew=1' };

describeOnEachStore('Answers that are given again', (store, itOnce) => {
  let started: StartedApp;
  let root: string;
  let url: string;
  const closers: (() => Promise<unknown>)[] = [];

  beforeEach(async () => {
    started = await startApp(store);
    url = started.url;
    root = await makeFolder(started, 'files');
    await started.app.sets.add({ slug: 'files', root });
    await started.app.sets.markReady('files');
    await write('folder/a.txt', 'as it was');
    await post(url, 'folder/a.txt');
  });
  afterEach(async () => {
    for (const close of closers.splice(0).toReversed()) await close();
    await closeApps();
  });

  const file = (name = 'folder/a.txt') => `${url}/sets/files/resources/${name}`;
  const list = () => `${url}/sets/files/resourcelist.xml`;

  async function write(name: string, text: string | Buffer): Promise<void> {
    await mkdir(join(root, name, '..'), { recursive: true });
    await writeFile(join(root, name), text);
    await utimes(join(root, name), MODIFIED, MODIFIED);
  }

  async function post(to: string, value: string, change = 'created', fields: object = {}): Promise<void> {
    const changes = [{ location: { value, type: 'rel_path' }, change, ...fields }];
    const { body } = await askJson(`${to}/api/sets/files/changes`, { changes });
    assert.equal(body.rejected, 0, JSON.stringify(body));
  }

  itOnce('are byte for byte as when they are made', async () => {
    await write('large.bin', Buffer.alloc(300_000, 'large '));
    await post(url, 'large.bin', 'created', { mime: 'image/png; a="b c"' });
    const documents = ['capabilitylist', 'resourcelist', 'changelist', 'changelist-recent'];
    const paths = [
      '/.well-known/resourcesync',
      ...documents.map((name) => `/sets/files/${name}.xml`),
      '/sets/files/resources/folder/a.txt',
      '/sets/files/resources/large.bin',
    ];
    for (const path of paths) {
      const { etag = '' } = (await ask(url + path)).headers;
      const { etag: packed = '' } = (await ask(url + path, { headers: { 'Accept-Encoding': 'gzip' } })).headers;
      for (const [method, headers] of [
        ['GET', {}],
        ['HEAD', {}],
        ['GET', { 'Accept-Encoding': 'gzip' }],
        ['HEAD', { 'Accept-Encoding': 'gzip' }],
        ['GET', { 'If-None-Match': etag }],
        ['GET', { 'If-None-Match': `"other", W/${packed}`, 'Accept-Encoding': 'gzip' }],
        ['GET', { 'If-None-Match': '"other"' }],
        ['GET', { 'If-Modified-Since': 'Fri, 01 Jan 2100 00:00:00 GMT' }],
        ['GET', { 'If-Modified-Since': 'Fri, 01 Jan 1999 00:00:00 GMT' }],
        ['GET', { 'If-Match': '"other"' }],
        ['GET', { Range: 'bytes=1-3' }],
        ['GET', { Accept: 'text/html,application/xml;q=0.9' }],
      ] as const) {
        const asked = (more: object) => raw(`${method} ${path}`, { ...headers, ...more });
        const made = await asked(ANEW);
        for (let time = 1; time <= 3; time++) {
          assert.equal(await asked({}), made, `${method} ${path} ${JSON.stringify(headers)}, time ${time}`);
        }
      }
    }
  });

  it('tell of every change that was acknowledged before they were asked for', async () => {
    for (let number = 0; number < 10; number++) {
      await post(url, `${number}.txt`);
      for (const document of ['resourcelist', 'changelist']) {
        assert.match((await ask(`${url}/sets/files/${document}.xml`)).text, new RegExp(`/${number}\\.txt<`));
      }
    }
  });

  it('tell of what another process did', async () => {
    const app = await openApp({ ...started.app.configuration, dataFolder: await makeFolder(started, 'other') });
    closers.push(() => app.close());
    const server = await startServer(app, { host: '127.0.0.1', port: 0 });
    closers.push(() => server.close());
    for (let number = 0; number < 10; number++) {
      await ask(list());
      await post(server.url, `${number}.txt`);
      assert.match((await ask(list())).text, new RegExp(`/${number}\\.txt<`));
    }
    await ask(file());
    await post(server.url, 'folder/a.txt', 'deleted');
    assert.equal((await ask(file())).status, 404);
    await ask(`${url}/.well-known/resourcesync`);
    await app.sets.remove('files');
    assert.equal((await ask(list())).status, 410);
    assert.doesNotMatch((await ask(`${url}/.well-known/resourcesync`)).text, /files/);
  });

  itOnce('are not given when the file is another one, also of the same size and date', async () => {
    for (const text of ['as it was', 'as it is!', 'as it has']) {
      // Two versions of one tick of a file system's clock would look the same.
      await wait(20);
      await write('folder/a.txt', text);
      for (let time = 0; time < 3; time++) assert.equal((await ask(file())).text, text);
    }
    await write('folder/other.txt', 'renamed !');
    await rename(join(root, 'folder/other.txt'), join(root, 'folder/a.txt'));
    assert.equal((await ask(file())).text, 'renamed !');
    await rm(join(root, 'folder/a.txt'));
    assert.equal((await ask(file())).status, 404);
  });

  itOnce('are not given when the file does not lie in the root any more', async () => {
    const outside = await makeFolder(started, 'outside');
    assert.equal((await ask(file())).status, 200);
    assert.equal((await ask(file())).status, 200);
    await rename(join(root, 'folder'), join(outside, 'folder'));
    await symlink(join(outside, 'folder'), join(root, 'folder'));
    assert.equal((await ask(file())).status, 404);
  });

  itOnce('are given only to whom they were made for', async () => {
    await started.app.sets.add({ slug: 'secret', urlPrefix: 'https://data.example.org/secret/', private: true });
    const source = `${url}/.well-known/resourcesync`;
    const secret = `${url}/sets/secret/capabilitylist.xml`;
    const far = { 'X-Forwarded-For': '203.0.113.7' };
    for (let time = 0; time < 3; time++) {
      for (const encoding of [{}, { 'Accept-Encoding': 'gzip' }]) {
        const near = await ask(source, { headers: encoding });
        const distant = await ask(source, { headers: { ...encoding, ...far } });
        assert.notEqual(near.headers.etag, distant.headers.etag);
      }
      assert.doesNotMatch((await ask(source, { headers: far })).text, /secret/);
      assert.equal((await ask(secret)).status, 200);
      assert.equal((await ask(secret, { headers: far })).status, 404);
      assert.equal((await ask(secret, { headers: { Host: 'evil.example.org' } })).status, 403);
    }
  });

  itOnce('count towards the limit of requests', async () => {
    const limits = { ...started.app.configuration.limits, anonymousRequests: 2 };
    const server = await startServer(
      { ...started.app, configuration: { ...started.app.configuration, limits } },
      { host: '127.0.0.1', port: 0 },
    );
    closers.push(() => server.close());
    const statuses: number[] = [];
    for (let time = 0; time < 4; time++) {
      const headers = { 'X-Forwarded-For': '203.0.113.7' };
      statuses.push((await ask(`${server.url}/sets/files/capabilitylist.xml`, { headers })).status);
    }
    // The next one is let through after half a minute.
    assert.deepEqual(statuses, [200, 200, 429, 429]);
  });

  itOnce('each have a request id of their own, and are counted by route', async () => {
    const ids = new Set<unknown>();
    for (let time = 0; time < 5; time++) ids.add((await ask(list())).headers['x-request-id']);
    assert.equal(ids.size, 5);
    assert.ok(!ids.has(undefined));
  });

  it('are not made anew', async () => {
    let made = 0;
    const publisher = Object.create(started.app.publisher, {
      capabilityList: {
        value: (...args: [string]) => {
          made += 1;
          return started.app.publisher.capabilityList(...args);
        },
      },
    });
    const moments = new Set<string>();
    const moment = async () => {
      const now = await started.app.moment();
      moments.add(now);
      return now;
    };
    const server = await startServer({ ...started.app, moment, publisher }, { host: '127.0.0.1', port: 0 });
    closers.push(() => server.close());
    const began = Date.now();
    for (let time = 0; time < 10; time++) await ask(`${server.url}/sets/files/capabilitylist.xml`);
    // The journal is written seconds after something was posted, which makes one other moment.
    assert.ok(moments.size <= 2, `${moments.size} moments`);
    const most = moments.size + Math.floor((Date.now() - began) / KEPT_FOR);
    assert.ok(made >= 1 && made <= most, `${made} times`);
  });

  itOnce('are made anew after ten seconds', async () => {
    let made = 0;
    const capabilityList = (slug: string) => {
      made += 1;
      return started.app.publisher.capabilityList(slug);
    };
    const publisher = Object.create(started.app.publisher, { capabilityList: { value: capabilityList } });
    const moment = async () => 'always the same';
    const server = await startServer({ ...started.app, moment, publisher }, { host: '127.0.0.1', port: 0 });
    closers.push(() => server.close());
    const document = `${server.url}/sets/files/capabilitylist.xml`;
    mock.timers.enable({ apis: ['Date'], now: Date.now() });
    closers.push(async () => mock.timers.reset());
    for (const [passed, expected] of [
      [0, 1],
      [KEPT_FOR, 1],
      [1, 2],
      [KEPT_FOR, 2],
      [1, 3],
    ] as const) {
      mock.timers.tick(passed);
      await ask(document);
      assert.equal(made, expected);
    }
  });

  itOnce('go on when clients go away while it is looked whether theirs is still the same', async () => {
    let opened = 0;
    let looks = { begun: Promise.withResolvers<void>(), end: Promise.resolve() };
    const rootOf: ServedApp['rootOf'] = (set) => {
      const { root, memory } = started.app.rootOf(set);
      const open = async (path: string): Promise<RootFile> => {
        opened += 1;
        const file = await root.open(path);
        const { length, mtime, tag } = file;
        const isCurrent = async () => {
          looks.begun.resolve();
          await looks.end;
          return file.isCurrent!();
        };
        return { length, mtime, tag, isCurrent, stream: (range) => file.stream(range), close: () => file.close() };
      };
      return { memory, root: Object.create(root, { open: { value: open } }) };
    };
    // The journal may be written meanwhile, which would make the kept answer one of a moment that is over.
    const moment = async () => 'always the same';
    const server = await startServer({ ...started.app, moment, rootOf }, { host: '127.0.0.1', port: 0 });
    closers.push(() => server.close());
    const path = '/sets/files/resources/folder/a.txt';

    async function goAway(): Promise<void> {
      const end = Promise.withResolvers<void>();
      looks = { begun: Promise.withResolvers(), end: end.promise };
      const socket = await openSocket(server.url);
      socket.write(headOf(`GET ${path}`, { Host: new URL(server.url).host }));
      const answered = once(socket, 'data').then(() => assert.fail('it is not kept any more'));
      await Promise.race([looks.begun.promise, answered]);
      socket.resetAndDestroy();
      await once(socket, 'close');
      // Until the server sees it, too.
      while (started.app.metrics.http.inFlight > 0) await wait(1);
      end.resolve();
    }

    // Together more than may be kept.
    for (let version = 0; version < 20; version++) {
      await write('folder/a.txt', Buffer.alloc(4_000_000, `${version} `));
      await ask(server.url + path);
      await goAway();
    }
    opened = 0;
    for (let time = 0; time < 5; time++) await ask(server.url + path);
    assert.ok(opened <= 1, `it was made ${opened} times`);
  });

  /** All of an answer but when it was given. */
  async function raw(request: string, headers: Readonly<Record<string, string>>): Promise<string> {
    const answer = await sendRaw(url, headOf(request, { 'X-Request-Id': 'the-same', ...headers }));
    return answer.toString('latin1').replace(/\r\nDate: [^\r]*/, '');
  }
});
