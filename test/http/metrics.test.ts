import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { Secret } from '../../src/config/secret.ts';
import { ask, askJson, NDJSON_BODY } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { metricOf, parseExposition, type Scrape, sampleOf } from '../support/exposition.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';

const PREFIX = 'https://data.example.org/papers/';

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

describeOnEachStore('Metrics over HTTP', (store, itOnce) => {
  let started: StartedApp;
  afterEach(closeApps);

  async function start(settings: Parameters<typeof startApp>[1] = {}): Promise<void> {
    started = await startApp(store, settings);
    await started.app.sets.add({ slug: 'papers', urlPrefix: PREFIX });
  }

  /** A scrape waits two seconds for the store, which on a busy machine may not be enough. */
  function scrape(): Promise<Scrape> {
    return until('a scrape that the store answers', async () => {
      const { status, headers, text } = await ask(`${started.url}/metrics`);
      assert.equal(status, 200, text);
      assert.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
      assert.equal(headers['cache-control'], 'no-store');
      const scraped = parseExposition(text);
      return sampleOf(scraped, 'tidemark_store_up') === 1 && scraped;
    });
  }

  const event = (value: string, change = 'created') => ({ location: { value, type: 'rel_path' }, change, length: 1 });
  const post = (changes: readonly object[], set = 'papers') =>
    askJson(`${started.url}/api/sets/${set}/changes`, { changes });
  const readList = (set = 'papers') => ask(`${started.url}/sets/${set}/resourcelist.xml`);

  itOnce('have every counter of events before the first event, so that its rate is known from the start', async () => {
    await start();
    const scraped = await scrape();
    for (const [result, reason] of [
      ['applied', 'created'],
      ['unchanged', 'repeated'],
      ['rejected', 'not-json'],
      ['rejected', 'other'],
    ] as const) {
      assert.equal(sampleOf(scraped, 'tidemark_events_total', { result, reason }), 0, reason);
    }
  });

  itOnce('count events by result and reason, and commits', async () => {
    await start();
    await post([event('a'), event('b'), event('b'), event('c', 'deleted'), event('d', 'mislaid')]);
    const lines = ['no JSON', JSON.stringify(event('../x')), JSON.stringify(event('e'))].join('\n');
    await ask(`${started.url}/api/sets/papers/changes`, { method: 'POST', headers: NDJSON_BODY, body: lines });
    const scraped = await scrape();
    const events = (result: string, reason: string) => sampleOf(scraped, 'tidemark_events_total', { result, reason });
    assert.equal(events('applied', 'created'), 3);
    assert.equal(events('unchanged', 'same-state'), 1);
    assert.equal(events('unchanged', 'not-there'), 1);
    assert.equal(events('rejected', 'unknown-change'), 1);
    assert.equal(events('rejected', 'not-json'), 1);
    assert.equal(events('rejected', 'outside-root'), 1);
    assert.equal(sampleOf(scraped, 'tidemark_commits_total', { outcome: 'done' }), 2);
    assert.equal(sampleOf(scraped, 'tidemark_commit_seconds_count'), 2);
    assert.equal(sampleOf(scraped, 'tidemark_commit_events_sum'), 5);
  });

  it('count what is stored, and how far it is applied', async () => {
    await start();
    await post([event('a'), event('b')]);
    await readList();
    const scraped = await scrape();
    assert.equal(sampleOf(scraped, 'tidemark_sets', { state: 'ready' }), 1);
    assert.equal(sampleOf(scraped, 'tidemark_resources'), 2);
    assert.equal(sampleOf(scraped, 'tidemark_changes'), 2);
    assert.equal(sampleOf(scraped, 'tidemark_commits_waiting'), 0);
    assert.equal(sampleOf(scraped, 'tidemark_watermark_lag_seconds'), 0);
    const age = Date.now() / 1000 - sampleOf(scraped, 'tidemark_watermark_timestamp_seconds');
    assert.ok(age > -1 && age < 60, `${age} seconds`);
    assert.equal(sampleOf(scraped, 'tidemark_info', { store: store.kind }), 1);
  });

  it('leave out what removed sets held', async () => {
    await start();
    await started.app.sets.add({ slug: 'maps', urlPrefix: PREFIX });
    await post([event('a')]);
    await post([event('a'), event('b')], 'maps');
    await started.app.sets.remove('maps');
    await readList();
    assert.equal(sampleOf(await scrape(), 'tidemark_resources'), 1);
    assert.equal(sampleOf(await scrape(), 'tidemark_sets'), 1);
  });

  itOnce('count documents that are rendered, cached and superseded', async () => {
    await start();
    await post([event('a')]);
    await readList();
    const first = await scrape();
    assert.equal(sampleOf(first, 'tidemark_render_seconds_count', { kind: 'resource-page' }), 1);
    assert.equal(sampleOf(first, 'tidemark_documents_rendered_total', { outcome: 'done' }), 1);
    assert.equal(sampleOf(first, 'tidemark_pages', { state: 'current' }), 1);
    assert.equal(sampleOf(first, 'tidemark_pages', { state: 'out_of_date' }), 0);
    assert.equal(sampleOf(first, 'tidemark_cache_documents'), 1);
    assert.ok(sampleOf(first, 'tidemark_cache_bytes') > 100);
    assert.equal(sampleOf(first, 'tidemark_cache_requests_total', { result: 'miss' }), 1);

    await post([event('b')]);
    await askJson(`${started.url}/api/sets/papers/pages`);
    assert.equal(sampleOf(await scrape(), 'tidemark_pages', { state: 'out_of_date' }), 1);
    await readList();
    assert.equal(sampleOf(await scrape(), 'tidemark_pages', { state: 'current' }), 1);
  });

  itOnce('measure requests by route, method and status, also those that no route answers', async () => {
    await start();
    await post([event('a')]);
    const { bytes } = await readList();
    for (let again = 0; again < 3; again++) await readList();
    await ask(`${started.url}/sets/papers/resourcelist.xml`, { method: 'HEAD' });
    await ask(`${started.url}/nothing/${'x'.repeat(100)}`);
    await ask(`${started.url}/healthz`, { method: 'DELETE' });
    const scraped = await scrape();
    const requests = (route: string, method: string, status: string) =>
      sampleOf(scraped, 'tidemark_http_request_seconds_count', { route, method, status });
    assert.equal(requests('/sets/:set/resourcelist.xml', 'GET', '2xx'), 4);
    assert.equal(requests('/sets/:set/resourcelist.xml', 'HEAD', '2xx'), 1);
    assert.equal(requests('/api/sets/:set/changes', 'POST', '2xx'), 1);
    assert.equal(requests('(unmatched)', 'GET', '4xx'), 1);
    assert.equal(requests('/healthz', 'other', '4xx'), 1);
    const sent = sampleOf(scraped, 'tidemark_http_sent_bytes_total', { route: '/sets/:set/resourcelist.xml' });
    assert.ok(sent > 4 * bytes.length && sent < 4 * bytes.length + 5 * 2000, `${sent} bytes`);
    assert.equal(sampleOf(scraped, 'tidemark_http_requests_in_flight'), 1);
  });

  itOnce('have no label that grows with sets, resources, clients or what they send', async () => {
    await start();
    const act = async (set: string, some: string) => {
      await post([event(some), event(`../${some}`), { ...event(some), [some]: 1 }], set);
      await readList(set);
      await ask(`${started.url}/api/sets/${set}/resource?key=/${some}`);
      await ask(`${started.url}/${some}`, { headers: { Authorization: `Bearer ${some}-${some}` } });
      await ask(`${started.url}/sets/${some}/resourcelist.xml`, { headers: { 'X-Request-Id': some } });
      await ask(`${started.url}/healthz`, { method: some === 'one' ? 'PUT' : 'PATCH' });
    };
    await act('papers', 'one');
    const { samples: before } = await scrape();
    for (const slug of ['two', 'three', 'four']) {
      await started.app.sets.add({ slug, urlPrefix: `${PREFIX}${slug}/` });
      await act(slug, `${slug}-thing`);
    }
    const { samples: after } = await scrape();
    const series = (samples: Scrape['samples']) =>
      samples
        .filter(({ name }) => name.startsWith('tidemark_'))
        .map(({ name, labels }) => JSON.stringify([name, labels]));
    // The first scrape could not contain itself.
    const added = series(after).filter((one) => !series(before).includes(one) && !one.includes('"/metrics"'));
    assert.deepEqual(added, []);
    for (const { labels } of after) {
      for (const value of Object.values(labels)) assert.doesNotMatch(value, /papers|thing|two|three|four/);
    }
  });

  itOnce('are all there that the dashboard and the alerts ask for', async () => {
    await start();
    const { types } = await scrape();
    const { panels } = JSON.parse(read('ops/grafana/tidemark.json'));
    const { groups } = parse(read('ops/prometheus/alerts.yml'));
    const expressions: string[] = [
      ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }: { expr: string }) => expr)),
      ...groups.flatMap(({ rules }: { rules: { expr: string }[] }) => rules.map(({ expr }) => expr)),
    ];
    const asked = new Set(expressions.flatMap((text) => text.match(/\b(?:tidemark|nodejs|process)_\w+/g) ?? []));
    for (const name of asked) assert.ok(types.has(metricOf(name, types)), `${name} is scraped`);
    assert.ok(asked.size > 30, `${asked.size} metrics`);
    const shown = new Set([...asked].map((name) => metricOf(name, types)));
    const own = [...types.keys()].filter((name) => name.startsWith('tidemark_') && name !== 'tidemark_info');
    assert.deepEqual(
      own.filter((name) => !shown.has(name)),
      [],
      'the dashboard shows all of them',
    );
  });

  itOnce('are for those who may read them', async () => {
    const token = new Secret('open-sesame');
    await start({ token, baseUrl: 'https://data.example.org' });
    for (const path of ['/metrics', '/api/status']) {
      assert.equal((await ask(started.url + path)).status, 401);
      const headers = { Authorization: 'Bearer open-sesame' };
      assert.equal((await ask(started.url + path, { headers })).status, 200);
    }
  });

  itOnce('are for everybody when the settings say so', async () => {
    await start({ publicMetrics: true, token: new Secret('open-sesame') });
    assert.equal((await ask(`${started.url}/metrics`)).status, 200);
    assert.equal((await ask(`${started.url}/api/status`)).status, 200);
  });

  itOnce('without tokens are for requests from the machine itself', async () => {
    await start();
    assert.equal((await ask(`${started.url}/metrics`)).status, 200);
    const proxied = await ask(`${started.url}/metrics`, { headers: { 'X-Forwarded-For': '203.0.113.7' } });
    assert.equal(proxied.status, 403);
  });

  itOnce('are summed up as JSON', async () => {
    await start();
    await post([event('a'), event('a')]);
    await readList();
    const body = await until('figures of the store', async () => {
      const status = await askJson(`${started.url}/api/status`);
      return status.body.store !== null && status.body;
    });
    assert.equal(body.store.resources, 1);
    assert.deepEqual(body.store.sets, { ready: 1, preparing: 0 });
    assert.equal(body.events.applied, 1);
    assert.equal(body.events.unchanged, 1);
    assert.ok(body.requests.answered >= 2);
    assert.equal(body.requests.inFlight, 1);
    assert.ok(body.requests.perSecond > 0);
    assert.equal(body.baseUrl, started.url);
  });

  it('count what Elasticsearch is asked, by the threads that render too', async () => {
    await start();
    await post([event('a')]);
    const answered = async () => sampleOf(await scrape(), 'tidemark_store_requests_total', { outcome: 'answered' });
    if (store.kind === 'sqlite') {
      assert.equal(await answered(), 0);
      return;
    }
    await readList();
    await until('the commit is applied', async () => sampleOf(await scrape(), 'tidemark_apply_seconds_count') >= 1);
    // An idle source: a scrape asks for the sets, twice, the end of the log, and the sinks of datasets. Between two of
    // them, the log of postings may be written.
    const costs: number[] = [];
    for (let before = await answered(); costs.length < 5; before = await answered()) {
      costs.push((await answered()) - before);
    }
    const cost = Math.min(...costs);
    assert.ok(cost >= 1 && cost <= 5, `${costs} requests`);
    assert.ok(sampleOf(await scrape(), 'tidemark_store_request_seconds_total') > 0);
  });
});
