import assert from 'node:assert/strict';
import { ask, JSON_BODY } from '../support/ask.ts';
import { askWhileBusy } from '../support/ask-while-busy.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { closeElasticsearchSources, ElasticsearchSource } from '../support/elasticsearch-source.ts';
import { readLog } from '../support/fault-checks.ts';
import type { Asked } from '../support/fault-proxy.ts';
import { SET_URL, SLUG } from '../support/fault-source.ts';
import { requireHonestLists } from '../support/honest-lists.ts';
import { SetReader } from '../support/set-reader.ts';
import { until } from '../support/until.ts';

const refreshes = ({ path }: Asked) => path.includes('/_refresh');
const searches = ({ path }: Asked) => path.includes('/_search');

const LIST = `/sets/${SLUG}/resourcelist.xml`;

interface Server {
  readonly url: string;
}

describe('a server on Elasticsearch that is behind', () => {
  const elasticsearch = useElasticsearch();
  afterEach(closeElasticsearchSources);

  it('serves nothing while a copy of a shard could not be refreshed, and what is new afterwards', async () => {
    const source = await ElasticsearchSource.makeWithPages(elasticsearch.url);
    const proxy = await source.proxy();
    const server = await source.serveHere(proxy.url);
    const before = await new SetReader(SET_URL, server.url).resourceList();
    // As of a cluster whose replica has lost touch: it shows what it knows, and it was not refreshed.
    const lagging = proxy.on(refreshes, async (execute) => {
      const answer = await execute();
      return { ...answer, body: Buffer.from('{"_shards":{"total":6,"successful":5,"failed":1}}') };
    });
    await post(server, ['k7']);
    for (const path of [LIST, `/sets/${SLUG}/changelist.xml`, '/readyz']) {
      await until('it says why', async () => {
        const { status, headers, text } = await ask(server.url + path);
        assert.equal(status, 503, path);
        assert.ok(Number(headers['retry-after']) > 0);
        // At first it may be applying what was posted.
        return text.includes('could not refresh 1 copies');
      });
    }
    lagging.remove();
    const after = await new SetReader(SET_URL, server.url).resourceList();
    assert.equal(after.resources.size, before.resources.size + 1);
    requireHonestLists([before, after], await readLog(await source.open()));
  });

  it('is not ready, and says so soon, while the store does not answer at all', async () => {
    const source = await ElasticsearchSource.makeWithPages(elasticsearch.url);
    const proxy = await source.proxy();
    const server = await source.serveHere(proxy.url);
    proxy.on(
      () => true,
      async () => 'silence',
    );
    const { status, headers, text } = await ask(`${server.url}/readyz`);
    assert.equal(status, 503);
    assert.match(text, /the store has not answered within 4 seconds/);
    assert.ok(Number(headers['retry-after']) > 0);
  });

  it('serves nothing when a shard does not answer a search', async () => {
    const source = await ElasticsearchSource.makeWithPages(elasticsearch.url);
    const proxy = await source.proxy();
    const server = await source.serveHere(proxy.url);
    const partial = proxy.on(searches, async () => ({
      status: 503,
      headers: { 'content-type': 'application/json', 'x-elastic-product': 'Elasticsearch' },
      body: Buffer.from('{"error":{"type":"search_phase_execution_exception","reason":"Partial shards failure"}}'),
    }));
    assert.equal((await ask(server.url + LIST)).status, 503);
    partial.remove();
    assert.equal((await askWhileBusy(server.url + LIST)).status, 200);
  });

  it('finds pages by the names that another server has published, with an old directory and with none', async () => {
    const source = await ElasticsearchSource.makeWithPages(elasticsearch.url);
    const [splitting, old] = await Promise.all([source.serveHere(), source.serveHere()]);
    const oldNames = await pageNames(old);
    const lists = [await new SetReader(SET_URL, splitting.url).resourceList()];
    for (let round = 0; round < 4; round++) {
      const keys = Array.from({ length: 30 }, (_, at) => `k${round * 60 + at * 2 + 1}`);
      await post(splitting, keys);
      const names = await pageNames(splitting);
      // The other server has not been asked for the list since.
      const fresh = round === 3 ? [await source.serveHere()] : [];
      for (const server of [old, ...fresh]) {
        for (const name of names) await requireSame(name, [splitting, server]);
      }
      lists.push(await new SetReader(SET_URL, old.url, splitting.url).resourceList());
    }
    const names = await pageNames(old);
    assert.ok(names.length > oldNames.length + 3);
    const retired = oldNames.filter((name) => !names.includes(name));
    assert.ok(retired.length > 0, 'some were split');
    for (const name of retired) await requireSame(name, [splitting, old]);
    requireHonestLists(lists, await readLog(await source.open()));
  });

  it('that has just started lists what was just acknowledged to others', async () => {
    const source = await ElasticsearchSource.makeWithPages(elasticsearch.url);
    const first = await source.serveHere();
    for (let round = 0; round < 3; round++) {
      const starting = source.serveHere();
      await post(first, [`late-${round}`]);
      const { url } = await starting;
      const { resources } = await new SetReader(SET_URL, url).resourceList();
      assert.ok([...resources.keys()].some((uri) => uri.endsWith(`/late-${round}`)));
    }
  });
});

async function post({ url }: Server, values: readonly string[]): Promise<void> {
  const changes = values.map((value) => ({ location: { type: 'rel_path', value }, change: 'created' }));
  const { status, text } = await askWhileBusy(`${url}/api/sets/${SLUG}/changes`, {
    method: 'POST',
    headers: JSON_BODY,
    body: JSON.stringify({ changes }),
  });
  assert.equal(status, 200, text);
}

async function pageNames({ url }: Server): Promise<readonly string[]> {
  const { text } = await askWhileBusy(url + LIST);
  return [...text.matchAll(/resourcelist-[\w-]+\.xml/g)].map(([name]) => name);
}

async function requireSame(name: string, servers: readonly Server[]): Promise<void> {
  const answers = await Promise.all(servers.map(({ url }) => askWhileBusy(`${url}/sets/${SLUG}/${name}`)));
  for (const { status, text } of answers) {
    assert.equal(status, 200, `${name}: ${text}`);
    assert.equal(text, answers[0]!.text, `${name} is another one`);
  }
}
