import assert from 'node:assert/strict';
import { mkdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keyOfPath } from '../../src/core/key.ts';
import { originOfRoot } from '../../src/core/stored-set.ts';
import { ask, askJson } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { closeApps, makeFolder, type StartedApp, startApp } from '../support/start-app.ts';

const TEXT = '0123456789';
const MODIFIED = Date.UTC(2026, 0, 31, 12) / 1000;

describeOnEachStore('Resources over HTTP', (store, itOnce) => {
  let started: StartedApp;
  let sets = 0;
  let slug: string;
  let root: string;
  before(async () => {
    started = await startApp(store);
  });
  // One source for all tests, and a set for each.
  beforeEach(async () => {
    sets += 1;
    slug = `files-${sets}`;
    root = await makeFolder(started, slug);
    await started.app.sets.add({ slug, origin: originOfRoot(root) });
    await started.app.sets.markReady(slug);
  });
  after(closeApps);

  const urlOf = (key: string): string => `${started.url}/sets/${slug}/resources${key}`;

  async function publish(path: string, bytes: string | Buffer = TEXT, fields: object = {}): Promise<string> {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), bytes);
    await utimes(join(root, path), MODIFIED, MODIFIED);
    await list(path, fields);
    return urlOf(keyOfPath(path));
  }

  async function list(path: string, fields: object = {}): Promise<void> {
    const changes = [{ location: { value: path, type: 'rel_path' }, change: 'created', ...fields }];
    const { body } = await askJson(`${started.url}/api/sets/${slug}/changes`, { changes });
    assert.equal(body.rejected, 0, JSON.stringify(body));
  }

  itOnce('are the bytes of the file, with its type and date, and a link to the Capability List', async () => {
    const { status, headers, text } = await ask(await publish('a.html', '<p>Hi', { mime: 'text/html' }));
    assert.deepEqual([status, text], [200, '<p>Hi']);
    assert.equal(headers['content-type'], 'text/html');
    assert.equal(headers['content-length'], '5');
    assert.equal(headers['last-modified'], 'Sat, 31 Jan 2026 12:00:00 GMT');
    assert.match(headers.etag ?? '', /^"[^"]+"$/);
    assert.equal(headers.link, `<${started.url}/sets/${slug}/capabilitylist.xml>; rel="resourcesync"`);
    assert.equal(headers['content-security-policy'], "sandbox; frame-ancestors 'self'");
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal((await ask(await publish('b'))).headers['content-type'], 'application/octet-stream');
  });

  it('are found by every name that a file may have', async () => {
    const names = [
      'a b',
      'a&b',
      '100%',
      'a#b',
      'a?b',
      'a;b',
      'a+b',
      'é',
      'e\u0301',
      '文/地図.txt',
      "it's (1)!",
      'resources/a',
    ];
    for (const name of names) {
      const { status, text } = await ask(await publish(name, `bytes of ${name}`));
      assert.deepEqual([status, text], [200, `bytes of ${name}`]);
    }
  });

  itOnce('are found whichever characters of the path are encoded', async () => {
    await publish('a~b.txt');
    assert.equal((await ask(urlOf('/%61%7Eb%2etxt'))).status, 200);
    assert.equal((await ask(`${urlOf('/a~b.txt')}?download`)).status, 200);
  });

  itOnce('have no date that is ahead', async () => {
    const url = await publish('a');
    const { headers } = await ask(url);
    await utimes(join(root, 'a'), Date.now() / 1000 + 3_600, Date.now() / 1000 + 3_600);
    const changed = await ask(url, { headers: { 'If-Modified-Since': headers['last-modified']! } });
    assert.deepEqual([changed.status, changed.headers['last-modified']], [200, undefined]);
    assert.notEqual(changed.headers.etag, headers.etag);
  });

  itOnce('have parts', async () => {
    const url = await publish('a');
    const part = async (range: string, headers = {}) => {
      const answer = await ask(url, { headers: { Range: range, ...headers } });
      return [answer.status, answer.text, answer.headers['content-range']];
    };
    assert.deepEqual(await part('bytes=2-4'), [206, '234', 'bytes 2-4/10']);
    assert.deepEqual(await part('bytes=-3'), [206, '789', 'bytes 7-9/10']);
    assert.deepEqual(await part('bytes=8-'), [206, '89', 'bytes 8-9/10']);
    assert.deepEqual(await part('bytes=-11'), [206, TEXT, 'bytes 0-9/10']);
    assert.deepEqual(await part('bytes=7-99'), [206, '789', 'bytes 7-9/10']);
    assert.deepEqual(await part('Bytes= 0-0'), [206, '0', 'bytes 0-0/10']);
    assert.deepEqual(await part('bytes=0-1,5-6'), [200, TEXT, undefined]);
    for (const wrong of ['bytes=', 'bytes=-', 'bytes=4-2', 'bytes=a-b', 'bytes=1', 'lines=10-11', 'bytes']) {
      assert.deepEqual(await part(wrong), [200, TEXT, undefined], wrong);
    }
    assert.equal((await part('bytes=-0'))[0], 416);
    assert.deepEqual(await part('lines=0-1'), [200, TEXT, undefined]);
    const beyond = await ask(url, { headers: { Range: 'bytes=10-' } });
    assert.deepEqual([beyond.status, beyond.headers['content-range']], [416, 'bytes */10']);

    const { headers } = await ask(url);
    assert.equal((await part('bytes=2-4', { 'If-Range': headers.etag }))[0], 206);
    assert.equal((await part('bytes=2-4', { 'If-Range': headers['last-modified'] }))[0], 206);
    assert.equal((await part('bytes=2-4', { 'If-Range': '"other"' }))[0], 200);
    assert.equal((await part('bytes=2-4', { 'If-Range': 'Fri, 30 Jan 2026 12:00:00 GMT' }))[0], 200);
  });

  itOnce('are not sent to a client that has them', async () => {
    const url = await publish('a');
    const { headers } = await ask(url);
    for (const condition of [
      { 'If-None-Match': headers.etag ?? '' },
      { 'If-Modified-Since': headers['last-modified'] ?? '' },
    ]) {
      const answer = await ask(url, { headers: condition as Record<string, string> });
      assert.deepEqual([answer.status, answer.bytes.length], [304, 0]);
      assert.equal(answer.headers.etag, headers.etag);
      for (const name of ['link', 'content-security-policy']) assert.equal(answer.headers[name], undefined);
    }
    assert.equal((await ask(url, { headers: { 'If-Match': '"other"' } })).status, 412);
    assert.equal((await ask(url, { headers: { 'If-Unmodified-Since': 'Fri, 30 Jan 2026 12:00:00 GMT' } })).status, 412);
  });

  itOnce('have another version when their file was replaced by one of the same size and time', async () => {
    const url = await publish('a', 'damaged');
    for (let times = 0; times < 2; times++) await ask(url);
    const { headers } = await ask(url);
    await writeFile(join(root, 'new'), 'correct');
    await utimes(join(root, 'new'), MODIFIED, MODIFIED);
    await rename(join(root, 'new'), join(root, 'a'));
    const { status, text } = await ask(url, { headers: { 'If-None-Match': headers.etag! } });
    assert.deepEqual([status, text], [200, 'correct']);
  });

  itOnce('are not sent when If-Match names their version weakly', async () => {
    const url = await publish('a');
    const etag = (await ask(url)).headers.etag!;
    const get = async (IfMatch: string) => (await ask(url, { headers: { 'If-Match': IfMatch } })).status;
    assert.equal(await get(etag), 200);
    assert.equal(await get(`W/${etag}`), 412);
    assert.equal(await get(`"other", W/${etag}`), 412);
    assert.equal(await get(`"other", ${etag}`), 200);
    assert.equal(await get('*'), 200);
  });

  itOnce('are sent again within the second of their date, in which they may have changed', async () => {
    const url = await publish('a');
    const now = Date.now() / 1000;
    await utimes(join(root, 'a'), now, now);
    const date = (await ask(url)).headers['last-modified']!;
    const { status, text } = await ask(url, { headers: { 'If-Modified-Since': date } });
    assert.deepEqual([status, text], [200, TEXT]);
    // With its tag, the same version is known at once.
    const { etag } = (await ask(url)).headers;
    assert.equal((await ask(url, { headers: { 'If-None-Match': etag!, 'If-Modified-Since': date } })).status, 304);
  });

  itOnce('answer HEAD, and may be empty', async () => {
    const head = await ask(await publish('a'), { method: 'HEAD' });
    assert.deepEqual([head.status, head.bytes.length, head.headers['content-length']], [200, 0, '10']);
    const empty = await ask(await publish('empty', ''));
    assert.deepEqual([empty.status, empty.bytes.length], [200, 0]);
  });

  itOnce('come whole when they are large', async () => {
    const bytes = Buffer.alloc(3_000_000, 'tide');
    assert.deepEqual((await ask(await publish('large', bytes))).bytes, bytes);
  });

  itOnce('that are not listed are not served', async () => {
    await writeFile(join(root, '.env'), 'secret');
    const url = await publish('a');
    assert.equal((await ask(urlOf('/.env'))).status, 404);
    await askJson(`${started.url}/api/sets/${slug}/changes`, {
      changes: [{ location: { value: 'a', type: 'rel_path' }, change: 'deleted' }],
    });
    assert.equal((await ask(url)).status, 404);
  });

  itOnce('that are outside the root are not served, listed or not', async () => {
    await writeFile(join(started.folder, 'secret'), 'secret');
    await symlink(join(started.folder, 'secret'), join(root, 'link'));
    await list('link');
    assert.equal((await ask(urlOf('/link'))).status, 404);
    for (const path of ['/../secret', '/%2e%2e/secret', '/..%2fsecret', '/a/../../secret', '//etc/passwd', '/']) {
      assert.equal((await ask(urlOf(path))).status, 404, path);
    }
  });

  itOnce('whose file was deleted are not found', async () => {
    const url = await publish('a');
    await rm(join(root, 'a'));
    assert.equal((await askJson(url)).body.error.code, 'not-found');
  });

  itOnce('have paths that are UTF-8', async () => {
    for (const path of ['/%ff', '/a/%C3', '/%zz']) {
      const { status, body } = await askJson(urlOf(path));
      assert.deepEqual([status, body.error.code], [400, 'bad-path'], path);
    }
  });

  itOnce('of a set without a root are reported to be elsewhere', async () => {
    await started.app.sets.add({ slug: 'elsewhere', urlPrefix: 'https://data.example.org/files/' });
    const { status, body } = await askJson(`${started.url}/sets/elsewhere/resources/a%20b`);
    assert.deepEqual([status, body.error.uri], [404, 'https://data.example.org/files/a%20b']);
  });
});
