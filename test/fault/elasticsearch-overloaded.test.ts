import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { createInterface } from 'node:readline';
import { readNodes } from '../../src/config/elasticsearch-nodes.ts';
import { isTidemarkError } from '../../src/core/errors.ts';
import { Cluster } from '../../src/lib/elasticsearch/cluster.ts';
import { openElasticsearch } from '../../src/stores/elasticsearch/open-elasticsearch.ts';
import { askJson, NDJSON_BODY } from '../support/ask.ts';
import { upsert } from '../support/builders.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { refuse } from '../support/elasticsearch-refusal.ts';
import { closeElasticsearchSources, ElasticsearchSource } from '../support/elasticsearch-source.ts';
import { type Asked, cutAnswer } from '../support/fault-proxy.ts';
import { SLUG } from '../support/fault-source.ts';
import { until } from '../support/until.ts';

const LIMITS = { pageEntries: 100, windowChanges: 100 };
/** More than a commit waits for a response, and than a reader or poster waits. */
const LONG_MS = 25_000;
const BYTES = 4 * 1024 * 1024;
/** A copy of each byte as a member of an object takes a hundred times more. */
const MOST_BYTES = 40 * BYTES;

const isBulk = ({ path }: Asked) => path.startsWith('/_bulk');
const isAppend = ({ path }: Asked) => path.includes('/_create/');

const EVENTS = 12;
/** `taken`: so many commits are made while requests are refused; a ninth needs room. `more`: requests refused then. */
const REFUSED = [
  { requests: 'appends', matches: isAppend, taken: 0, more: 5 },
  { requests: 'applying bulks', matches: isBulk, taken: 8, more: 40 },
  { requests: 'all requests', matches: () => true, taken: 0, more: 10 },
];

describe('An Elasticsearch that is too busy (429)', () => {
  const trueNow = Date.now;
  const elasticsearch = useElasticsearch();
  afterEach(async () => {
    Date.now = trueNow;
    await closeElasticsearchSources();
  });

  async function makeRefusing(matches: (asked: Asked) => boolean) {
    const source = await ElasticsearchSource.make(elasticsearch.url, LIMITS);
    const proxy = await source.proxy();
    return { source, proxy, begin: () => proxy.on(matches, refuse(429)) };
  }

  for (const { requests, matches, taken, more } of REFUSED) {
    it(`is waited for by a stream of posts, and each event counts once (${requests} are refused; finding 116)`, async () => {
      const { source, proxy, begin } = await makeRefusing(matches);
      const { url } = await source.serveHere(proxy.url);
      const posting = request(`${url}/api/sets/${SLUG}/changes?results=all`, { method: 'POST', headers: NDJSON_BODY });
      const send = (at: number) =>
        posting.write(`${JSON.stringify({ location: { value: `k${at}`, type: 'rel_path' }, change: 'created' })}\n`);
      send(0);
      const [response] = (await once(posting, 'response')) as [IncomingMessage];
      const lines: string[] = [];
      const ended = once(
        createInterface(response).on('line', (line) => lines.push(line)),
        'close',
      );
      assert.equal((await askJson(`${url}/api/sets/${SLUG}/resources`)).body.resources.length, 1);
      const refusing = begin();
      for (let at = 1; at < EVENTS; at++) {
        send(at);
        if (at <= taken) await until('it is committed', async () => lines.length > at);
      }
      posting.end();
      await until('a request is refused', async () => refusing.met > 0);
      Date.now = () => trueNow() + LONG_MS;
      const { met } = refusing;
      await until('more requests are refused', async () => refusing.met >= met + more);
      refusing.remove();
      Date.now = trueNow;
      await ended;
      const { complete, applied } = JSON.parse(lines.at(-1)!);
      assert.deepEqual({ complete, applied }, { complete: true, applied: EVENTS });
      assert.equal((await askJson(`${url}/api/sets/${SLUG}/resources`)).body.resources.length, EVENTS);
    });
  }

  it('ends the post of a person after ten seconds', async () => {
    const { source, proxy, begin } = await makeRefusing(isAppend);
    const { url } = await source.serveHere(proxy.url);
    const refusing = begin();
    const changes = [{ location: { value: 'a', type: 'rel_path' }, change: 'created' }];
    const { status, headers, body } = await askJson(`${url}/api/sets/${SLUG}/changes`, { changes });
    assert.equal(status, 503, JSON.stringify(body));
    assert.ok(headers['retry-after']);
    assert.match(body.error.message, /the store is slow: the events may be stored later/);
    refusing.remove();
  });

  it('is waited for by commands, which say so', async () => {
    const { source, proxy, begin } = await makeRefusing(isAppend);
    const { id } = await (await source.open()).sets.bySlug(SLUG);
    const said: string[] = [];
    const onSlow = (message: string) => said.push(message);
    const { index, close } = await openElasticsearch(source.location(proxy.url), { onSlow });
    source.onClose(close);
    const refusing = begin();
    const committing = index.commit([upsert(id, 'a')]);
    await until('a commit is refused', async () => refusing.met > 1);
    Date.now = () => trueNow() + LONG_MS;
    await until('the command says so', async () => said.length > 0);
    Date.now = trueNow;
    refusing.remove();
    const [result] = await committing;
    assert.equal(result!.status, 'applied');
    assert.deepEqual(said.length, 1);
    assert.match(said[0]!, /^Waits until it is less busy: Elasticsearch at .* is overloaded: for a test$/);
  });

  it('ends a commit that may be stored in place of deciding its events again', async () => {
    const { source, proxy, begin } = await makeRefusing(isAppend);
    const { id } = await (await source.open()).sets.bySlug(SLUG);
    const { index } = await source.open(proxy.url);
    const lost = proxy.on(isAppend, cutAnswer);
    const committing = index.commit([upsert(id, 'a')]);
    committing.catch(() => {});
    await until('the commit is stored', async () => lost.met > 0);
    lost.remove();
    const refusing = begin();
    await until('it is sent again', async () => refusing.met > 1);
    Date.now = () => trueNow() + LONG_MS;
    await assert.rejects(committing, /is overloaded: for a test; the events may be stored: post them again/);
    Date.now = trueNow;
    refusing.remove();
    const [result] = await index.commit([upsert(id, 'a')]);
    assert.equal(result!.status, 'unchanged');
  });

  it('refuses a request of megabytes without a copy of it in the error (finding 116)', async () => {
    const { source, proxy, begin } = await makeRefusing(isBulk);
    begin();
    const cluster = new Cluster({ ...readNodes(proxy.url), authorization: 'ApiKey secret' });
    source.onClose(() => cluster.close());
    const before = process.memoryUsage().heapUsed;
    const error = await cluster.bulk(Buffer.alloc(BYTES, 'x')).catch((error: unknown) => error);
    const bytes = process.memoryUsage().heapUsed - before;
    assert.ok(isTidemarkError(error, 'unavailable'), String(error));
    assert.ok(bytes < MOST_BYTES, `${bytes} bytes`);
  });
});
