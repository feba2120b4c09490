import assert from 'node:assert/strict';
import { ask, askJson } from '../support/ask.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { removeIndices, uniquePrefix } from '../support/elasticsearch-indices.ts';
import { refuse } from '../support/elasticsearch-refusal.ts';
import { closeElasticsearchSources, ElasticsearchSource } from '../support/elasticsearch-source.ts';
import { PatientRequests, untilServed } from '../support/fault-clients.ts';
import { cutAnswer, cutInTheMiddle, cutRequest, type Fault } from '../support/fault-proxy.ts';
import { SLUG } from '../support/fault-source.ts';
import { requireNothingLost } from '../support/nothing-lost.ts';
import { until } from '../support/until.ts';

/** What cannot be read when a full disk makes one of these indices read-only: no commit is applied then. */
const READ = ['resources', 'changes', 'ledgers'] as const;

const FAULTS: readonly Fault[] = [cutAnswer, cutRequest, cutInTheMiddle, refuse(429), refuse(503)];
/** One request of so many meets a fault. */
const ONE_IN = 20;
const MOST_FAULTS = 30;

/** What Elasticsearch sets when its disk is full. */
const BLOCK = 'index.blocks.read_only_allow_delete';
const REMOVES_BLOCKS_BEFORE_MS = 90_000;

describe('an Elasticsearch that is shared', function () {
  this.timeout(600_000);
  const elasticsearch = useElasticsearch();
  before(() => untilBlocksStay(elasticsearch.url));
  afterEach(closeElasticsearchSources);

  it('may cut, drop and refuse requests of every kind: nothing is lost or doubled', async () => {
    const source = await ElasticsearchSource.makeWithPages(elasticsearch.url);
    const proxy = await source.proxy();
    const servers = await Promise.all([source.serve({ storeUrl: proxy.url }), source.serve()]);
    let asked = 0;
    const faults = proxy.on(
      () => ++asked % ONE_IN === 0,
      (...met) => FAULTS[(asked / ONE_IN) % FAULTS.length]!(...met),
    );
    const clients = [1, 2, 3].map((number) => new PatientRequests(number));
    const stop = new AbortController();
    const posting = Promise.all(clients.map((client, at) => client.post(servers[at % 2]!.url, stop.signal)));
    await untilServed('everybody posts', clients, posting);
    await Promise.race([posting, until('many requests have met a fault', async () => faults.met > MOST_FAULTS)]);
    stop.abort();
    await posting;
    faults.remove();
    await requireNothingLost(source, { clients, servers });
  });

  it(`may make the log and then ${READ.join(', ')} read-only: posting or reading is 503, and goes on by itself afterwards`, async () => {
    const source = await ElasticsearchSource.makeWithPages(elasticsearch.url);
    const servers = await Promise.all([source.serve(), source.serve()]);
    const clients = [1, 2].map((number) => new PatientRequests(number));
    const lists = servers.map(({ url }) => `${url}/sets/${SLUG}/resourcelist.xml`);
    const stop = new AbortController();
    const posting = Promise.all(clients.map((client, at) => client.post(servers[at]!.url, stop.signal)));
    await untilServed('everybody posts', clients, posting);
    await block(source, 'log', true);
    await until('posts are refused', async () => clients.every(({ refused }) => refused > 0));
    await block(source, 'log', null);
    for (const index of READ) {
      await untilServed('they post', clients, posting);
      await block(source, index, true);
      await until('lists are refused', () => areRefused(lists));
      await block(source, index, null);
      await until('it is ready by itself', async () => {
        const answers = await Promise.all(lists.map((list) => ask(list)));
        return answers.every(({ status }) => status === 200);
      });
    }
    stop.abort();
    await posting;
    await requireNothingLost(source, { clients, servers });
  });

  it('may make the catalog read-only: adding a set fails with the reason, and posting continues', async () => {
    const source = await ElasticsearchSource.makeWithPages(elasticsearch.url);
    const server = await source.serve();
    const client = new PatientRequests(1);
    await block(source, 'catalog', true);
    const add = () => source.run(['sets', 'add', 'more', '--url-prefix', 'http://example.org/']);
    const { exitCode, stderr } = await add();
    assert.equal(exitCode, 3, stderr);
    assert.match(stderr, /^tidemark: .*has blocked an index .*catalog.*is its disk full/);
    const stop = new AbortController();
    const posting = client.post(server.url, stop.signal);
    await untilServed('it is posted to', [client], posting);
    stop.abort();
    await posting;
    assert.equal(client.refused, 0);
    await block(source, 'catalog', null);
    assert.equal((await add()).exitCode, 0);
    await requireNothingLost(source, { clients: [client], servers: [server] });
  });
});

/** Whether all lists are refused with what is wrong. */
async function areRefused(lists: readonly string[]): Promise<boolean> {
  const answers = await Promise.all(lists.map((list) => ask(list)));
  for (const { status, headers, text } of answers) {
    if (status === 200) return false;
    assert.equal(status, 503);
    assert.ok(Number(headers['retry-after']) > 0);
    // At first it may only take long.
    if (!/has blocked an index .*is its disk full|did not take a document.*block/.test(text)) return false;
  }
  return true;
}

function block({ url, prefix }: ElasticsearchSource, index: string, readOnly: true | null): Promise<void> {
  return putSettings(`${url}/${prefix}-${index}`, { [BLOCK]: readOnly });
}

async function putSettings(index: string, settings: object): Promise<void> {
  const headers = { 'Content-Type': 'application/json' };
  const { status } = await ask(`${index}/_settings`, { method: 'PUT', headers, body: JSON.stringify(settings) });
  assert.equal(status, 200);
}

/**
 * Half a minute after its start, a server that does not watch its disk removes the blocks of all indices, once. Waits
 * until it has removed one, or is too old for that.
 */
async function untilBlocksStay(url: string): Promise<void> {
  const prefix = uniquePrefix();
  const index = `${url}/${prefix}-blocked`;
  try {
    await ask(index, { method: 'PUT' });
    await putSettings(index, { [BLOCK]: true });
    await until('the server has removed old blocks', async () => {
      const { body: settings } = await askJson(`${index}/_settings?flat_settings=true`);
      if (!JSON.stringify(settings).includes(BLOCK)) return true;
      const { body } = await askJson(`${url}/_nodes/stats/jvm?filter_path=nodes.*.jvm.uptime_in_millis`);
      const nodes = Object.values(body.nodes) as { readonly jvm: { readonly uptime_in_millis: number } }[];
      return nodes.every(({ jvm }) => jvm.uptime_in_millis > REMOVES_BLOCKS_BEFORE_MS);
    });
  } finally {
    await removeIndices(url, prefix);
  }
}
