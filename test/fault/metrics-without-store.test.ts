import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { Scope } from '../../src/access/scope.ts';
import type { App } from '../../src/app.ts';
import { ask } from '../support/ask.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { closeElasticsearchSources, ElasticsearchSource } from '../support/elasticsearch-source.ts';
import { parseExposition, sampleOf } from '../support/exposition.ts';
import { cutRequest, type Fault, type FaultProxy, saySilence } from '../support/fault-proxy.ts';
import { SLUG } from '../support/fault-source.ts';
import { until } from '../support/until.ts';

const LIMITS = { pageEntries: 20, windowChanges: 10 };
const FAULTS: Readonly<Record<string, Fault>> = { 'cuts connections': cutRequest, 'is silent': saySilence };
/** Tokens that were read within a second are not read again: the store is not missed before. */
const TOKENS_ARE_FRESH_MS = 1_100;
/** Three seconds, and half a second for a busy machine. */
const MOST_MS = 3_500;
/** What a reader of metrics must not read. */
const OTHERS = ['/api/tokens', '/api/jobs', `/api/sets/${SLUG}/postings`, '/api/sets/hidden/resources'];

type Headers = Readonly<Record<string, string>>;

describe('Metrics while Elasticsearch is away', () => {
  const elasticsearch = useElasticsearch();
  let proxy: FaultProxy;
  let url: string;
  /** Another process, which the fault does not meet. */
  let other: App;

  beforeEach(async () => {
    const source = await ElasticsearchSource.make(elasticsearch.url, LIMITS);
    proxy = await source.proxy();
    ({ url } = await source.serveHere(proxy.url));
    other = await source.open();
    await other.sets.add({ slug: 'hidden', urlPrefix: 'http://example.org/hidden/', private: true });
  });
  afterEach(closeElasticsearchSources);

  const get = (path: string, headers: Headers = {}) => ask(url + path, { headers });
  const statuses = (paths: readonly string[], headers?: Headers) =>
    Promise.all(paths.map(async (path) => (await get(path, headers)).status));
  const makeToken = async (...scopes: readonly Scope[]) => {
    const { token, record } = await other.access.tokens.create({ name: scopes.join(), scopes });
    return { id: record.id, headers: { Authorization: `Bearer ${token}` } };
  };
  const scrape = async (headers?: Headers) => {
    const began = performance.now();
    const { status, text } = await get('/metrics', headers);
    assert.equal(status, 200, text);
    const ms = performance.now() - began;
    assert.ok(ms < MOST_MS, `answered after ${ms} ms`);
    const scraped = parseExposition(text);
    const up = sampleOf(scraped, 'tidemark_store_up');
    // Of the last answer.
    assert.equal(/^# .*tidemark_resources/.test(text), up === 0);
    return { up, sets: sampleOf(scraped, 'tidemark_sets', { state: 'ready' }) };
  };
  const untilUp = (headers?: Headers) =>
    until('a scrape that the store answers', async () => {
      const { up, sets } = await scrape(headers);
      return up === 1 && sets === 2;
    });

  for (const [what, fault] of Object.entries(FAULTS)) {
    it(`say so when it ${what}, to clients whose token could read them, and let them do nothing else`, async () => {
      const [metrics, all, post] = await Promise.all([
        makeToken('metrics'),
        makeToken('administer'),
        makeToken('post:*'),
      ]);
      for (const { headers } of [metrics, all]) await untilUp(headers);
      assert.deepEqual(await statuses(OTHERS, all.headers), [200, 200, 200, 200]);
      assert.equal((await get('/metrics', post.headers)).status, 403);
      const away = proxy.on(() => true, fault);
      const unseen = await makeToken('metrics');
      await other.access.tokens.revoke(all.id);
      await wait(TOKENS_ARE_FRESH_MS);
      const scraped = await Promise.all([metrics, all, metrics].map(({ headers }) => scrape(headers)));
      for (const figures of scraped) assert.deepEqual(figures, { up: 0, sets: 2 });
      assert.deepEqual(await statuses(['/api/status', '/api/status'], all.headers), [200, 200]);
      // The others wait for the store, until their requests to it time out.
      if (fault === saySilence) return;
      assert.deepEqual(await statuses(OTHERS, all.headers), [503, 503, 503, 503]);
      for (const headers of [unseen.headers, post.headers, {}, { Authorization: 'Bearer tdm_wrong' }]) {
        assert.notEqual((await get('/metrics', headers)).status, 200);
      }
      away.remove();
      await until('the revoked token is refused', async () => (await get('/metrics', all.headers)).status === 401);
      await untilUp(unseen.headers);
    });
  }

  it('say so to clients on the machine itself when no token was ever created, and let them do nothing else', async () => {
    await untilUp();
    assert.deepEqual(await statuses(OTHERS), [200, 200, 200, 200]);
    proxy.on(() => true, cutRequest);
    await wait(TOKENS_ARE_FRESH_MS);
    assert.deepEqual(await scrape(), { up: 0, sets: 2 });
    assert.deepEqual(await statuses(OTHERS), [503, 503, 503, 503]);
    assert.notEqual((await get('/metrics', { 'X-Forwarded-For': '203.0.113.7' })).status, 200);
  });
});
