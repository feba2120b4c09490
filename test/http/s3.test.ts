import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { CreateBucketCommand, DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { originOfRoot } from '../../src/core/stored-set.ts';
import { formatS3Location, parseS3Location } from '../../src/lib/s3/s3-location.ts';
import type { NewSet } from '../../src/sets/new-set.ts';
import { ask, askJson, type Question } from '../support/ask.ts';
import { collect } from '../support/builders.ts';
import { describeOnEachStore, SQLITE } from '../support/each-store.ts';
import { type Asked, cutInTheMiddle, type Fault, FaultProxy } from '../support/fault-proxy.ts';
import { clientOf, type OwnS3, rootOf, startOwnS3, uniqueBucket, useBucket, useKeys, useS3 } from '../support/s3.ts';
import { isList, refuseWith } from '../support/s3-refusal.ts';
import { scanHere, WITHOUT_HEARTBEATS } from '../support/scan-here.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';

const TEXT = '0123456789';
const LARGE = 'large '.repeat(50_000);
const etagOf = (text: string) => `"${createHash('md5').update(text).digest('hex')}"`;

describeOnEachStore('A set on S3 over HTTP', (store, itOnce) => {
  const s3 = useS3();
  useKeys(s3);
  const bucket = useBucket(s3);
  let started: StartedApp;
  let proxy: FaultProxy;

  beforeEach(async () => {
    proxy = await FaultProxy.start(s3.endpoint);
    started = await startApp(store, WITHOUT_HEARTBEATS);
    await addSet();
  });
  afterEach(async () => {
    await closeApps();
    await proxy.close();
  });

  async function addSet(more: Partial<NewSet> = {}): Promise<void> {
    const root = formatS3Location(parseS3Location(rootOf({ endpoint: proxy.url }, bucket.name, 'some folder')));
    const set = await started.app.sets.add({ slug: 'maps', origin: originOfRoot(root), ...more });
    await started.app.sets.markReady(more.slug ?? 'maps');
    await scanHere(started.app, set);
  }

  const put = (path: string, content = TEXT, type?: string) =>
    bucket.put(`some folder/${path}`, content, type === undefined ? {} : { ContentType: type });
  const remove = (path: string) =>
    bucket.client.send(new DeleteObjectCommand({ Bucket: bucket.name, Key: `some folder/${path}` }));

  const record = (path: string, eventName = 'ObjectCreated:Put') => ({
    eventName,
    s3: {
      bucket: { name: bucket.name },
      object: { key: `some+folder/${encodeURIComponent(path).replaceAll('%20', '+')}`, sequencer: '00' },
    },
  });
  const notify = (records: readonly object[], set = 'maps') =>
    askJson(`${started.url}/api/sets/${set}/s3-events`, { Records: records });
  const urlOf = (path: string, set = 'maps') => `${started.url}/sets/${set}/resources/${encodeURIComponent(path)}`;

  async function publish(path: string, text?: string, type?: string): Promise<void> {
    await put(path, text, type);
    const { status, body } = await notify([record(path)]);
    assert.deepEqual([status, body], [200, { taken: 1, ignored: 0, problems: [] }]);
  }

  async function changes(): Promise<string[]> {
    const { body } = await askJson(`${started.url}/api/sets/maps/changes`);
    return body.changes.map(({ change, key }: { change: string; key: string }) => `${change} ${key}`);
  }

  const isOf =
    (name: string) =>
    ({ path }: Asked): boolean =>
      path.includes(`/${name}?`);
  /** One request that matches meets the fault, the first. */
  function once(matches: (asked: Asked) => boolean, fault: Fault): void {
    const rule = proxy.on(matches, (...args) => {
      rule.remove();
      return fault(...args);
    });
  }

  itOnce('serves objects with their type, length, time and version', async () => {
    await publish('a b.html', '<p>Hi', 'text/html; charset=utf-8');
    const { status, headers, text } = await ask(urlOf('a b.html'));
    assert.deepEqual([status, text], [200, '<p>Hi']);
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    assert.equal(headers['content-length'], '5');
    assert.equal(headers.etag, etagOf('<p>Hi'));
    const { body } = await askJson(`${started.url}/api/sets/maps/resource?key=%2Fa%2520b.html`);
    assert.equal(Date.parse(headers['last-modified']!), Date.parse(body.lastmod));
    assert.equal(body.hashes.md5, createHash('md5').update('<p>Hi').digest('hex'));

    const head = await ask(urlOf('a b.html'), { method: 'HEAD' });
    assert.deepEqual([head.status, head.headers['content-length'], head.text], [200, '5', '']);
  });

  itOnce('answers ranges and conditions', async () => {
    await publish('a');
    const get = (headers: Record<string, string>) => ask(urlOf('a'), { headers });
    const part = await get({ Range: 'bytes=2-4' });
    assert.deepEqual([part.status, part.text, part.headers['content-range']], [206, '234', 'bytes 2-4/10']);
    const last = await get({ Range: 'bytes=-3', 'If-Range': etagOf(TEXT) });
    assert.deepEqual([last.status, last.text], [206, '789']);
    assert.equal((await get({ Range: 'bytes=10-' })).status, 416);
    assert.equal((await get({ 'If-None-Match': etagOf(TEXT) })).status, 304);
    assert.equal((await get({ 'If-Match': etagOf('other') })).status, 412);
    assert.equal((await get({ 'If-Range': etagOf('other'), Range: 'bytes=2-4' })).status, 200);
    await publish('none', '');
    assert.deepEqual([(await ask(urlOf('none'))).status, (await ask(urlOf('none'))).text], [200, '']);
  });

  itOnce('distinguishes an object that was deleted from a server that does not answer', async () => {
    await publish('a');
    await remove('a');
    assert.equal((await ask(urlOf('a'))).status, 404);
    await publish('b');
    for (const [headers, bytes] of [
      [{}, TEXT],
      [{ Range: 'bytes=2-4' }, '234'],
    ] as const) {
      const denied = proxy.on(isOf('b'), refuseWith(403, 'AccessDenied'));
      const { status, text } = await ask(urlOf('b'), { headers });
      assert.equal(status, 503);
      assert.match(text, /access is denied/);
      assert.ok(!text.includes(s3.keys.accessKeyId));
      denied.remove();
      assert.equal((await ask(urlOf('b'), { headers })).text, bytes);
    }
  });

  itOnce('asks the S3 server once for all of an object, and for its head when that may do', async () => {
    await publish('small');
    await publish('large', LARGE);
    const requests = async (path: string, question: Question = {}) => {
      const before = proxy.asked.length;
      await ask(urlOf(path), question);
      return proxy.asked.slice(before).map(({ method }) => method);
    };
    // The first request reads the list of exclusions.
    await requests('small');
    assert.deepEqual(await requests('small'), ['GET']);
    assert.deepEqual(await requests('large'), ['GET']);
    assert.deepEqual(await requests('small', { method: 'HEAD' }), ['HEAD']);
    assert.deepEqual(await requests('small', { headers: { 'If-None-Match': etagOf(TEXT) } }), ['HEAD']);
    assert.deepEqual(await requests('large', { headers: { Range: 'bytes=0-1' } }), ['HEAD', 'GET']);
  });

  itOnce('serves an object whole when its bytes are cut off, and no mixture when it is overwritten then', async () => {
    await publish('small');
    await publish('large', LARGE);
    for (const [path, content] of [
      ['small', TEXT],
      ['large', LARGE],
    ] as const) {
      once(isOf(path), cutInTheMiddle);
      assert.equal((await ask(urlOf(path))).text, content);
    }
    const overwrite =
      (path: string, content: string): Fault =>
      async (execute, asked) => {
        const cut = await cutInTheMiddle(execute, asked);
        await put(path, content);
        return cut;
      };
    once(isOf('small'), overwrite('small', '9876543210'));
    const { text, headers } = await ask(urlOf('small'));
    assert.deepEqual([text, headers.etag], ['9876543210', etagOf('9876543210')]);
    once(isOf('large'), overwrite('large', LARGE.toUpperCase()));
    await assert.rejects(ask(urlOf('large')));
  });

  itOnce('redirects to the S3 server when the set says so, by URLs that hold for a while', async () => {
    await addSet({ slug: 'sent', presignedSeconds: 60 });
    await put('a b.txt');
    await notify([record('a b.txt')], 'sent');

    const { status, headers, text } = await ask(urlOf('a b.txt', 'sent'));
    assert.deepEqual([status, text], [307, '']);
    assert.equal(headers['cache-control'], 'private, no-store');
    const url = new URL(headers.location!);
    assert.equal(url.origin, proxy.url);
    assert.equal(url.searchParams.get('X-Amz-Expires'), '60');
    assert.ok(!headers.location!.includes(s3.keys.secretAccessKey));
    const followed = await ask(url.href);
    assert.deepEqual([followed.status, followed.text], [200, TEXT]);
    assert.equal((await ask(url.href, { headers: { Range: 'bytes=2-4' } })).text, '234');

    const head = await ask(urlOf('a b.txt', 'sent'), { method: 'HEAD' });
    assert.equal(head.status, 307);
    assert.equal((await ask(head.headers.location!, { method: 'HEAD' })).headers['content-length'], '10');
    assert.equal((await ask(urlOf('missing', 'sent'))).status, 404);
    const ofOther = await ask(urlOf('a b.txt', 'sent'), { headers: { 'X-Forwarded-For': '203.0.113.9' } });
    assert.deepEqual([ofOther.status, ofOther.headers['access-control-allow-origin']], [307, '*']);

    await started.app.sets.change('sent', { presignedSeconds: null });
    assert.equal((await ask(urlOf('a b.txt', 'sent'))).text, TEXT);
    await started.app.sets.change('sent', { presignedSeconds: 30 });
    assert.match((await ask(urlOf('a b.txt', 'sent'))).headers.location!, /X-Amz-Expires=30/);
  });

  itOnce('records what notifications name, whatever their order, and however often they come', async () => {
    await publish('a');
    await put('a', 'changed');
    await put('b');
    // Notified late, twice, and the wrong way round: `a` is there, and `c` never was.
    const notifications = [record('c'), record('a', 'ObjectRemoved:Delete'), record('b'), record('b'), record('a')];
    assert.equal((await notify(notifications)).status, 200);
    assert.deepEqual((await notify(notifications)).body, { taken: 5, ignored: 0, problems: [] });
    assert.deepEqual((await changes()).toSorted(), ['created /a', 'created /b', 'updated /a']);

    await remove('a');
    await notify([record('a'), record('b', 's3:ObjectRemoved:Delete')]);
    assert.deepEqual((await changes()).slice(3), ['deleted /a']);
    assert.equal((await ask(urlOf('b'))).text, TEXT);
  });

  itOnce('ignores notifications of other buckets and prefixes', async () => {
    await put('a');
    const elsewhere = { s3: { bucket: { name: 'other' }, object: { key: 'some+folder/a' } } };
    const beside = { s3: { bucket: { name: bucket.name }, object: { key: 'some+folder2/a' } } };
    assert.deepEqual((await notify([elsewhere, beside, {}])).body, { taken: 0, ignored: 3, problems: [] });
    assert.deepEqual(await changes(), []);
  });

  it('takes many notifications at once', async () => {
    const paths = Array.from({ length: 60 }, (_, at) => `f${at}`);
    await Promise.all(paths.map((path) => put(path)));
    const answers = await Promise.all(paths.map((path) => notify([record(path)])));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    assert.equal((await changes()).length, 60);
  });

  itOnce('refuses notifications that it does not understand, and those for a set without a bucket', async () => {
    const url = `${started.url}/api/sets/maps/s3-events`;
    assert.equal((await askJson(url, { hello: 'world' })).status, 400);
    assert.equal((await askJson(url, { Records: [{ s3: 'x' }] })).status, 400);
    assert.equal(
      (await ask(url, { method: 'POST', body: '{"Records":[]}', headers: { 'Content-Type': 'text/plain' } })).status,
      415,
    );
    const large = { Records: [], more: 'x'.repeat(1_100_000) };
    assert.equal((await askJson(url, large)).status, 413);
    await started.app.sets.add({ slug: 'other', urlPrefix: 'http://example.org/' });
    assert.equal((await notify([], 'other')).status, 404);
  });

  itOnce('answers 503 when the objects cannot be asked, and deletes nothing', async () => {
    await publish('a');
    const denied = proxy.on(isList, refuseWith(403, 'AccessDenied'));
    const { status, headers } = await notify([record('a', 'ObjectRemoved:Delete')]);
    assert.deepEqual([status, headers['retry-after']], [503, '10']);
    denied.remove();
    assert.deepEqual(await changes(), ['created /a']);
  });
});

describe('The notifications of a real S3 server', () => {
  const keys = { accessKeyId: 'keyfortests', secretAccessKey: 'secretfortests' };
  // Skips where no server can be started.
  useS3();
  useKeys({ keys });
  let own: OwnS3 | undefined;
  afterEach(async () => {
    await closeApps();
    await own?.dispose();
    own = undefined;
  });

  it('report every change of an object', async () => {
    const { app, url } = await startApp(SQLITE, WITHOUT_HEARTBEATS);
    own = await startOwnS3({ keys, eventsUrl: `${url}/api/sets/maps/s3-events` });
    const client = clientOf(own.server);
    const Bucket = uniqueBucket();
    await client.send(new CreateBucketCommand({ Bucket }));
    const location = formatS3Location(parseS3Location(rootOf(own.server, Bucket)));
    await scanHere(app, await app.sets.add({ slug: 'maps', origin: originOfRoot(location) }));

    const history = async () =>
      (await collect(app.index.changes(1, { after: 1 }))).map(({ kind, key }) => `${kind} ${key}`);
    const untilThere = (line: string) => until(line, async () => (await history()).includes(line));
    const Key = 'folder ü/a b+c.txt';
    await client.send(new PutObjectCommand({ Bucket, Key, Body: 'one' }));
    await untilThere('created /folder%20%C3%BC/a%20b+c.txt');
    await client.send(new PutObjectCommand({ Bucket, Key, Body: 'two' }));
    await untilThere('updated /folder%20%C3%BC/a%20b+c.txt');
    await client.send(new DeleteObjectCommand({ Bucket, Key }));
    await untilThere('deleted /folder%20%C3%BC/a%20b+c.txt');
    client.destroy();
  });
});
