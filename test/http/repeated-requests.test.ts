import assert from 'node:assert/strict';
import { mkdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openApp } from '../../src/app.ts';
import { originOfRoot } from '../../src/core/stored-set.ts';
import { startServer } from '../../src/http/server/server.ts';
import { ask, askJson } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { headOf, sendRaw } from '../support/raw-http.ts';
import { closeApps, makeFolder, type StartedApp, startApp } from '../support/start-app.ts';

const MODIFIED = Date.UTC(2026, 0, 31, 12) / 1000;

describeOnEachStore('Answers to repeated requests', (store, itOnce) => {
  let started: StartedApp;
  let root: string;
  let url: string;
  const closers: (() => Promise<unknown>)[] = [];

  beforeEach(async () => {
    started = await startApp(store);
    url = started.url;
    root = await makeFolder(started, 'files');
    await started.app.sets.add({ slug: 'files', origin: originOfRoot(root) });
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

  itOnce('are the same byte for byte, also with an empty query', async () => {
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
        const first = await raw(`${method} ${path}?`, headers);
        for (let time = 1; time <= 3; time++) {
          assert.equal(
            await raw(`${method} ${path}`, headers),
            first,
            `${method} ${path} ${JSON.stringify(headers)}, time ${time}`,
          );
        }
      }
    }
  });

  it('contain every change that was acknowledged before the request', async () => {
    for (let number = 0; number < 10; number++) {
      await post(url, `${number}.txt`);
      for (const document of ['resourcelist', 'changelist']) {
        assert.match((await ask(`${url}/sets/files/${document}.xml`)).text, new RegExp(`/${number}\\.txt<`));
      }
    }
  });

  it('contain what another process committed', async () => {
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

  itOnce('have the bytes of the present file, also when it has the same size and date as before', async () => {
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

  itOnce('are 404 when the file is outside the root by now', async () => {
    const outside = await makeFolder(started, 'outside');
    assert.equal((await ask(file())).status, 200);
    assert.equal((await ask(file())).status, 200);
    await rename(join(root, 'folder'), join(outside, 'folder'));
    await symlink(join(outside, 'folder'), join(root, 'folder'));
    assert.equal((await ask(file())).status, 404);
  });

  itOnce('depend on the sender', async () => {
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
    const server = await startServer(
      { ...started.app, configuration: { ...started.app.configuration, anonymousRequests: 2 } },
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

  itOnce('each have a request id of their own', async () => {
    const ids = new Set<unknown>();
    for (let time = 0; time < 5; time++) ids.add((await ask(list())).headers['x-request-id']);
    assert.equal(ids.size, 5);
    assert.ok(!ids.has(undefined));
  });

  /** All of an answer but when it was given. */
  async function raw(request: string, headers: Readonly<Record<string, string>>): Promise<string> {
    const answer = await sendRaw(url, headOf(request, { 'X-Request-Id': 'the-same', ...headers }));
    return answer.toString('latin1').replace(/\r\nDate: [^\r]*/, '');
  }
});
