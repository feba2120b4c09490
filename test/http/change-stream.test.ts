import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { openApp } from '../../src/app.ts';
import { Secret } from '../../src/config/secret.ts';
import { ask, askJson } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { closeEventStreams, EventStream } from '../support/event-stream.ts';
import { closeApps, makeFolder, type StartedApp, startApp, testConfiguration } from '../support/start-app.ts';
import { until } from '../support/until.ts';

const PREFIX = 'https://data.example.org/papers/';

describeOnEachStore('A stream of changes', (store, itOnce) => {
  let shared: StartedApp;
  let started: StartedApp;
  let sets = 0;
  let slug: string;
  before(async () => {
    shared = await startApp(store);
  });
  // One source for all tests that need no other settings, and a set for each.
  beforeEach(() => use(shared));
  afterEach(closeEventStreams);
  after(closeApps);

  async function use(source: StartedApp): Promise<void> {
    started = source;
    sets += 1;
    slug = `papers-${sets}`;
    await started.app.sets.add({ slug, urlPrefix: PREFIX });
  }

  const start = async (settings?: Parameters<typeof startApp>[1]) => use(await startApp(store, settings));
  const at = (path: string) => `${started.url}/api/sets/${slug}/${path}`;
  const streamAt = (query = '', headers = {}) => EventStream.open(at(`changes/stream${query}`), headers);

  async function post(names: readonly string[], fields: object = {}, headers: Record<string, string> = {}) {
    const changes = names.map((value) => ({ location: { value, type: 'rel_path' }, change: 'updated', ...fields }));
    const { status, body } = await askJson(at('changes'), { changes }, headers);
    assert.deepEqual([status, body.rejected], [200, 0], JSON.stringify(body).slice(0, 500));
  }

  const hasReceived = (stream: EventStream, count: number) =>
    until(`${count} events`, async () => stream.events.length >= count);
  const listed = async () => (await askJson(at('changes?limit=10000'))).body.changes;
  const dataOf = ({ events }: EventStream) => events.map(({ data }) => JSON.parse(data));
  const numbered = (count: number, from = 0) => Array.from({ length: count }, (_, number) => `n-${from + number}`);

  it('has each change that is recorded from then on, once and in order, as the list of changes has it', async () => {
    await post(['before']);
    const stream = await streamAt();
    assert.equal(stream.response.headers['content-type'], 'text/event-stream; charset=utf-8');
    assert.equal(stream.response.headers['cache-control'], 'no-store');
    await post(['a', 'b'], { length: 7 });
    await post(['a'], { change: 'deleted' });
    await hasReceived(stream, 3);
    await post(['c']);
    await hasReceived(stream, 4);
    assert.deepEqual(dataOf(stream), (await listed()).slice(1));
    assert.deepEqual(
      stream.events.map(({ id, event }) => ({ id, event })),
      dataOf(stream).map(({ datetime }) => ({ id: datetime, event: 'change' })),
    );
  });

  it('has what another process commits to the same store', async () => {
    const stream = await streamAt();
    const { store: location, baseUrl } = started.app.configuration;
    const folder = await makeFolder(started, 'other');
    const other = await openApp(testConfiguration(folder, { store: location, baseUrl }));
    try {
      const { id: set } = await other.sets.bySlug(slug);
      await other.index.commit([{ set, key: '/elsewhere', state: { length: 1 }, weight: 100 } as never]);
      await hasReceived(stream, 1);
      assert.equal(dataOf(stream)[0].key, '/elsewhere');
    } finally {
      await other.close();
    }
  });

  itOnce('is named by the Change List, also when the list has not changed, and has a range', async () => {
    await post(['a']);
    const link = `<${at('changes/stream')}>; rel="monitor"; type="text/event-stream"`;
    const list = `${started.url}/sets/${slug}/changelist.xml`;
    const { headers } = await ask(list);
    assert.equal(headers.link, link);
    assert.equal((await ask(list, { headers: { 'if-none-match': headers.etag! } })).headers.link, link);
    assert.equal((await ask(`${list}?from=2026-01-01T00:00:00Z`)).headers.link, link);
  });

  itOnce('goes on after the last event that a client has read, also when that is long ago', async () => {
    const first = await streamAt();
    await post(numbered(5));
    await hasReceived(first, 5);
    first.close();
    const keeping = await streamAt();
    // More than are kept in memory, in one commit and in small ones.
    await post(numbered(1_200, 5));
    for (let from = 1_205; from < 1_225; from += 5) await post(numbered(5, from));
    await hasReceived(keeping, 1_220);
    const again = await streamAt('', { 'Last-Event-ID': first.events[2]!.id });
    await post(['last']);
    await hasReceived(again, 1_223);
    await hasReceived(keeping, 1_221);
    assert.deepEqual(dataOf(again), (await listed()).slice(3));
    assert.deepEqual(dataOf(keeping), (await listed()).slice(5));
  });

  itOnce('goes on where it began for a client that has read no event', async () => {
    await post(numbered(2));
    const first = await streamAt();
    await until('an id', async () => first.lastId !== '');
    first.close();
    await post(numbered(2, 2));
    const again = await streamAt('', { 'Last-Event-ID': first.lastId });
    await hasReceived(again, 2);
    assert.deepEqual(dataOf(again), (await listed()).slice(2));
  });

  itOnce('begins at a time', async () => {
    await post(numbered(3));
    const [, second] = await listed();
    const stream = await streamAt(`?from=${second.datetime}`);
    await post(['last']);
    await hasReceived(stream, 3);
    assert.deepEqual(dataOf(stream), (await listed()).slice(1));
  });

  itOnce('refuses a time or an id that is none', async () => {
    assert.equal((await ask(at('changes/stream?from=yesterday'))).status, 400);
    const { status, text } = await ask(at('changes/stream'), { headers: { 'Last-Event-ID': 'x' } });
    assert.deepEqual([status, JSON.parse(text).error.code], [400, 'bad-event-id']);
  });

  itOnce('answers HEAD with the same head, and without a body', async () => {
    const { status, headers, text } = await ask(at('changes/stream'), { method: 'HEAD' });
    assert.deepEqual([status, headers['content-type'], text], [200, 'text/event-stream; charset=utf-8', '']);
  });

  itOnce('is for any number of clients', async () => {
    const streams = await Promise.all(Array.from({ length: 200 }, () => streamAt()));
    for (let from = 0; from < 20; from += 5) await post(numbered(5, from));
    for (const stream of streams) await hasReceived(stream, 20);
    const changes = await listed();
    for (const stream of streams) assert.deepEqual(dataOf(stream), changes);
  });

  itOnce('has a comment now and then while nothing changes', async () => {
    await start({ idleTimeoutMs: 200 });
    const stream = await streamAt();
    await until('two comments', async () => stream.comments >= 2);
  });

  itOnce('ends when the set is removed', async () => {
    await start({ idleTimeoutMs: 1_000 });
    const stream = await streamAt();
    await post(['a']);
    await hasReceived(stream, 1);
    await started.app.sets.remove(slug);
    await until('the end', async () => stream.hasEnded);
  });

  itOnce('of a private set is for those who may read it, and ends with their token', async () => {
    await start({ idleTimeoutMs: 400, token: new Secret('open-sesame') });
    const anonymous = await streamAt();
    await started.app.sets.change(slug, { private: true });
    await until('the end for others', async () => anonymous.hasEnded);
    assert.equal((await ask(at('changes/stream'))).status, 404);
    const { token, record } = await started.app.access.tokens.create({ name: 'reader', scopes: [`read:${slug}`] });
    const stream = await streamAt('', { Authorization: `Bearer ${token}` });
    assert.equal(stream.response.headers['cache-control'], 'private, no-store');
    await post(['a'], {}, { Authorization: 'Bearer open-sesame' });
    await hasReceived(stream, 1);
    await started.app.access.tokens.revoke(record.id);
    await until('the end', async () => stream.hasEnded);
    assert.equal(anonymous.events.length, 0);
  });

  itOnce('of a private set ends for those who needed no token, when the first one is made', async () => {
    await start({ idleTimeoutMs: 400 });
    await started.app.sets.change(slug, { private: true });
    const stream = await streamAt();
    const { token } = await started.app.access.tokens.create({ name: 'admin', scopes: ['administer'] });
    await until('the end', async () => stream.hasEnded);
    await post(['a'], {}, { Authorization: `Bearer ${token}` });
    assert.equal(stream.events.length, 0);
  });

  itOnce('is cut off for a client that takes nothing', async () => {
    await start({ idleTimeoutMs: 500 });
    const socket = connect(Number(new URL(started.url).port), '127.0.0.1');
    try {
      socket.on('error', () => {});
      await once(socket, 'connect');
      socket.write(`GET /api/sets/${slug}/changes/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
      await once(socket, 'readable');
      socket.pause();
      // More than the system takes for a client that does not read.
      const links = [{ rel: 'related', href: { value: `https://example.org/${'x'.repeat(1_800)}`, type: 'url' } }];
      for (let from = 0; from < 8_000; from += 1_000) await post(numbered(1_000, from), { ln: links });
      await until('the client is disconnected', async () => {
        return (await askJson(`${started.url}/api/status`)).body.requests.inFlight === 1;
      });
    } finally {
      socket.destroy();
    }
  });

  itOnce('ends when the server stops', async () => {
    await start();
    const stream = await streamAt();
    await started.server.close();
    await until('the end', async () => stream.hasEnded);
    assert.equal(stream.response.complete, true);
  });
});
