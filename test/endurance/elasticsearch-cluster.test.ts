import { setTimeout as wait } from 'node:timers/promises';
import { useOwnElasticsearch } from '../support/elasticsearch.ts';
import { askElasticsearch } from '../support/elasticsearch-indices.ts';
import { closeElasticsearchSources, ElasticsearchSource } from '../support/elasticsearch-source.ts';
import {
  readLog,
  requireAcknowledged,
  requireAlternating,
  requireConsistent,
  requireEachOnce,
} from '../support/fault-checks.ts';
import { PatientRequests, untilServed } from '../support/fault-clients.ts';
import { SET_URL } from '../support/fault-source.ts';
import { requireHonestLists } from '../support/honest-lists.ts';
import { type ReadResourceList, SetReader } from '../support/set-reader.ts';

describe('a cluster of three nodes', function () {
  this.timeout(600_000);
  const cluster = useOwnElasticsearch({ nodes: 3 });
  afterEach(closeElasticsearchSources);

  it('loses nothing that was acknowledged when the node is killed that has the log', async () => {
    const { elasticsearch } = cluster;
    const source = await ElasticsearchSource.makeWithPages(elasticsearch.url);
    await askElasticsearch(elasticsearch.url, 'GET', '_cluster/health?wait_for_status=green&timeout=120s');
    const storeUrl = elasticsearch.urls.join(',');
    const servers = await Promise.all([source.serve({ storeUrl }), source.serve({ storeUrl })]);
    const clients = [1, 2, 3, 4].map((number) => new PatientRequests(number));
    const lists: ReadResourceList[] = [];
    const stop = new AbortController();
    const working = Promise.all([
      ...clients.map((client, at) => client.post(servers[at % 2]!.url, stop.signal)),
      ...servers.map(({ url }) => readOn(url, { lists, stop: stop.signal })),
    ]);
    await untilServed('everybody posts', clients, working);
    const node = await nodeOf(elasticsearch.url, `${source.prefix}-log-000001`);
    await elasticsearch.nodes[node]!.kill();
    await untilServed('everybody goes on', clients, working);
    stop.abort();
    await working;

    const others = elasticsearch.urls.filter((_, at) => at !== node);
    const app = await source.open(...others);
    const log = await readLog(app);
    requireAlternating(log);
    requireAcknowledged(log, clients);
    requireHonestLists(lists, log);
    const reader = new SetReader(SET_URL, servers[0]!.url);
    await requireConsistent(app, reader);
    for (const client of clients) await client.repost(servers[1]!.url);
    requireEachOnce(await readLog(app), clients);
    await requireConsistent(app, reader);
    await app.close();
    // Who cleans up asks the first one.
    if (node === 0) await elasticsearch.nodes[node]!.start();
  });
});

/** The place of the node that holds the primary of an index. */
async function nodeOf(url: string, index: string): Promise<number> {
  const shards = (await askElasticsearch(url, 'GET', `_cat/shards/${index}?format=json`)) as unknown as {
    prirep: string;
    node: string;
  }[];
  const { node } = shards.find(({ prirep }) => prirep === 'p')!;
  return Number(/\d+$/.exec(node)![0]) - 1;
}

/** Goes on when the store does not answer for a while, which is not a fault. */
async function readOn(url: string, { lists, stop }: { lists: ReadResourceList[]; stop: AbortSignal }): Promise<void> {
  const reader = new SetReader(SET_URL, url);
  while (!stop.aborted) {
    lists.push(await reader.resourceList());
    await reader.changeWindows();
    await wait(100);
  }
}
