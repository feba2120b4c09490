import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { originOfRoot } from '../../src/core/stored-set.ts';
import { ask, askJson } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

const ENCODED = { 'Accept-Encoding': 'gzip' };

describeOnEachStore('Documents over HTTP', (store, itOnce) => {
  let started: StartedApp;
  let sets = 0;
  let slug: string;
  let list: string;
  before(async () => {
    started = await startApp(store);
  });
  // One source for all tests, and a set for each.
  beforeEach(async () => {
    sets += 1;
    slug = `papers-${sets}`;
    await started.app.sets.add({ slug, urlPrefix: 'https://data.example.org/papers/' });
    list = `${started.url}/sets/${slug}/resourcelist.xml`;
    await post('a.pdf');
  });
  after(closeApps);

  async function post(...names: string[]): Promise<void> {
    const changes = names.map((value) => ({ location: { value, type: 'rel_path' }, change: 'created' }));
    const { body } = await askJson(`${started.url}/api/sets/${slug}/changes`, { changes });
    assert.equal(body.applied, names.length);
  }

  itOnce('are XML, never cached unasked', async () => {
    const paths = [
      '/.well-known/resourcesync',
      ...['capabilitylist', 'resourcelist', 'changelist', 'changelist-recent'].map(
        (name) => `/sets/${slug}/${name}.xml`,
      ),
    ];
    for (const path of paths) {
      const { status, headers, text } = await ask(started.url + path);
      assert.equal(status, 200, path);
      assert.equal(headers['content-type'], 'application/xml; charset=utf-8');
      assert.equal(headers['cache-control'], 'no-cache');
      assert.equal(headers['content-length'], String(Buffer.byteLength(text)));
      assert.match(headers.etag ?? '', /^"[^"]+"$/);
      assert.match(headers['last-modified'] ?? '', /GMT$/);
      assert.match(text, /<urlset/);
    }
  });

  itOnce('have the encoding that the client prefers, each with a tag of its own', async () => {
    const plain = await ask(list);
    const gzip = await ask(list, { headers: { 'Accept-Encoding': 'br, gzip;q=0.5' } });
    const refused = await ask(list, { headers: { 'Accept-Encoding': 'gzip;q=0' } });

    assert.deepEqual(gunzipSync(gzip.bytes), plain.bytes);
    assert.deepEqual(refused.bytes, plain.bytes);
    assert.equal(gzip.headers['content-encoding'], 'gzip');
    for (const { headers } of [plain, refused]) assert.equal(headers['content-encoding'], undefined);
    assert.notEqual(gzip.headers.etag, plain.headers.etag);
    for (const { headers } of [plain, gzip, refused]) assert.equal(headers.vary, 'Accept, Accept-Encoding');
  });

  itOnce('are answered to a client that has them by the headers of their version alone', async () => {
    const { headers } = await ask(list);
    const known = await ask(list, { headers: { 'If-None-Match': headers.etag ?? '' } });
    const expected = ['x-request-id', 'etag', 'vary', 'cache-control', 'last-modified'];
    const ofConnection = ['date', 'connection'];
    assert.deepEqual(Object.keys(known.headers).toSorted(), [...expected, ...ofConnection].toSorted());
    for (const name of expected.slice(1)) assert.equal(known.headers[name], headers[name]);
  });

  itOnce('are not sent to a client that has them, in whatever encoding', async () => {
    const { etag = '' } = (await ask(list)).headers;
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const answer = await ask(list, { headers: { ...ENCODED, 'If-None-Match': tag } });
      assert.deepEqual([answer.status, answer.bytes.length], [304, 0], tag);
      assert.equal(answer.headers.vary, 'Accept, Accept-Encoding');
    }
    assert.equal((await ask(list, { headers: { 'If-None-Match': '"other"' } })).status, 200);
  });

  it('are sent again, with another tag, when they changed', async () => {
    const { etag = '' } = (await ask(list)).headers;
    await post('b.pdf');
    const answer = await ask(list, { headers: { 'If-None-Match': etag } });
    assert.equal(answer.status, 200);
    assert.notEqual(answer.headers.etag, etag);
    assert.match(answer.text, /b\.pdf/);
  });

  itOnce('count as unchanged by date only when no other version can have that date', async () => {
    const first = (await ask(list)).headers;
    const inThatSecond = { 'If-Modified-Since': first['last-modified'] ?? '' };
    await post('b.pdf');
    await setTimeout(1100);
    const settled = await ask(list, { headers: inThatSecond });
    assert.equal(settled.status, 200);
    assert.match(settled.text, /b\.pdf/);
    const later = { 'If-Modified-Since': settled.headers['last-modified'] ?? '' };
    assert.equal((await ask(list, { headers: later })).status, 304);
    assert.equal((await ask(list, { headers: { ...later, 'If-None-Match': '"other"' } })).status, 200);
  });

  itOnce('answer HEAD as GET, without a body', async () => {
    const get = await ask(list);
    const head = await ask(list, { method: 'HEAD' });
    assert.deepEqual([head.status, head.bytes.length], [200, 0]);
    for (const name of ['etag', 'content-length', 'content-type', 'last-modified'] as const) {
      assert.equal(head.headers[name], get.headers[name]);
    }
  });

  itOnce('are cached for ever when they are closed', async () => {
    await started.app.sets.add({ slug: 'small', urlPrefix: 'https://data.example.org/small/', windowChanges: 2 });
    const changes = ['a', 'b', 'c'].map((value) => ({ location: { value, type: 'rel_path' }, change: 'created' }));
    await askJson(`${started.url}/api/sets/small/changes`, { changes });
    const index = await ask(`${started.url}/sets/small/changelist.xml`);
    const windows = [...index.text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, loc = '']) => loc);
    assert.equal(windows.length, 2);
    assert.equal((await ask(windows[0]!)).headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.equal((await ask(windows[1]!)).headers['cache-control'], 'no-cache');
  });

  it('list the changes of a time', async () => {
    await post('b.pdf');
    const { body } = await askJson(`${started.url}/api/sets/${slug}/changes`);
    const [first, second] = body.changes.map(({ datetime }: { datetime: string }) => datetime);
    const window = (query: string) => ask(`${started.url}/sets/${slug}/changelist.xml?${query}`);

    assert.match((await window(`from=${second}`)).text, /b\.pdf/);
    assert.doesNotMatch((await window(`from=${second}`)).text, /a\.pdf/);
    const closed = await window(`from=${first}&until=${first}`);
    assert.match(closed.text, /a\.pdf/);
    assert.doesNotMatch(closed.text, /b\.pdf/);
  });

  itOnce('say which parameter is wrong', async () => {
    for (const [query, code, field] of [
      ['from=yesterday', 'bad-datetime', 'from'],
      ['until=2026-01-31T12:00:00', 'datetime-without-zone', 'until'],
      ['from=2026-01-01T00:00:00Z&from=2026-01-02T00:00:00Z', 'bad-query', 'from'],
    ]) {
      const { status, body } = await askJson(`${started.url}/sets/${slug}/changelist.xml?${query}`);
      assert.deepEqual([status, body.error.code, body.error.field], [400, code, field]);
    }
    const backwards = 'from=2026-02-01T00:00:00Z&until=2026-01-01T00:00:00Z';
    assert.equal((await ask(`${started.url}/sets/${slug}/changelist.xml?${backwards}`)).status, 400);
  });

  itOnce('of a set whose first scan is not complete are not ready', async () => {
    await started.app.sets.add({ slug: 'scanning', origin: originOfRoot(started.folder) });
    const { status, headers, body } = await askJson(`${started.url}/sets/scanning/resourcelist.xml`);
    assert.deepEqual([status, body.error.code], [503, 'not-ready']);
    assert.match(headers['retry-after'] ?? '', /^\d+$/);
  });

  itOnce('that are not there are answered with what is wrong, as JSON', async () => {
    await started.app.sets.add({ slug: 'old', urlPrefix: 'https://data.example.org/old/' });
    await started.app.sets.remove('old');
    for (const [path, expected] of [
      ['/sets/unknown/resourcelist.xml', 404],
      [`/sets/${slug}/resourcelist-1-99999.xml`, 404],
      [`/sets/${slug}/changelist-1-99999.xml`, 404],
      [`/sets/${slug}/changelist-1-000000001.xml`, 404],
      [`/sets/${slug}/changelist-01-00000001.xml`, 404],
      [`/sets/${slug}/nothing.xml`, 404],
      ['/nothing', 404],
      ['/sets/No_Slug-/resourcelist.xml', 400],
      ['/sets/%ff/resourcelist.xml', 400],
      ['/sets/old/resourcelist.xml', 410],
    ] as const) {
      const { status, headers, body } = await askJson(started.url + path);
      assert.equal(status, expected, path);
      assert.equal(headers['cache-control'], 'no-store');
      assert.ok(body.error.code && body.error.message);
    }
  });

  itOnce('can only be read', async () => {
    const { status, headers } = await ask(list, { method: 'DELETE' });
    assert.deepEqual([status, headers.allow], [405, 'GET, HEAD']);
  });
});
