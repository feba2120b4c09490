import { Cluster } from '../../../src/lib/elasticsearch/cluster.ts';
import { IndexNames } from '../../../src/stores/elasticsearch/index-names.ts';
import { resourceId, sortKeyOf } from '../../../src/stores/elasticsearch/resource-documents.ts';
import type { Bench, BenchOptions, Figure } from '../figure.ts';
import { type BenchServer, onElasticsearch } from '../support/elasticsearch.ts';
import { pathOf } from '../support/events.ts';
import { fillSet } from '../support/fill-elasticsearch.ts';
import { SET } from '../support/filled-source.ts';
import { runMeasured } from '../support/run-measured.ts';

/** The first set of a source. */
const SET_ID = 1;

export const elasticsearchVerify: Bench = {
  name: 'es-verify',
  about: 'verifying a set of 1,000,000 on Elasticsearch, as it should be and with three differences',

  run: (options) => onElasticsearch(options, (server) => measure(options, server)),
};

async function measure({ runs, scale, log }: BenchOptions, server: BenchServer): Promise<readonly Figure[]> {
  const count = Math.round(1_000_000 * scale);
  const prefix = server.nextPrefix();
  const tidemark = await server.tidemark(prefix);
  await tidemark.addSet(SET);
  await fillSet(server, { prefix, slug: SET, count, log });
  const verify = async () => {
    const { stdout, seconds, memory } = await runMeasured(tidemark, ['verify', SET], { codes: [0, 1] });
    log(`${seconds.toFixed(1)} s, ${memory.toFixed(0)} MB`);
    return { ...JSON.parse(stdout), rate: count / seconds, memory };
  };

  const rates: number[] = [];
  const memories: number[] = [];
  for (let run = 1; run <= runs; run++) {
    const { equal, resources, rate, memory } = await verify();
    if (!equal || resources !== count)
      throw new Error(`of ${count} resources ${resources} were found, equal: ${equal}`);
    rates.push(rate);
    memories.push(memory);
  }
  const planted = await plant(server, { prefix, count });
  const { differences } = await verify();
  const found = differences.first.filter(({ kind }: { kind: string }) => kind === 'state');
  const keys = found.map(({ key }: { key: string }) => key).sort();
  if (keys.join() !== planted.join())
    throw new Error(`${planted} differ, and ${JSON.stringify(differences)} was found`);
  await server.remove(prefix);
  return [
    { name: `verifying ${count.toLocaleString('en')} resources`, unit: 'resources/s', ours: rates },
    { name: '… memory', unit: 'MB', ours: memories },
    { name: '… of three planted differences, found', unit: 'differences', ours: [keys.length], limit: { least: 3 } },
  ];
}

/** Makes a state say something else, one older than its change, and takes one away. Returns their keys, ascending. */
async function plant(
  { url }: BenchServer,
  { prefix, count }: { readonly prefix: string; readonly count: number },
): Promise<readonly string[]> {
  const cluster = new Cluster({ nodes: [url] });
  const { resources } = new IndexNames(prefix);
  const keys = [0.1, 0.5, 0.9].map((part) => `/${pathOf(Math.floor(part * count))}`);
  const [other, older, gone] = keys.map((key) => resourceId(sortKeyOf(SET_ID, key)));
  const place = { index: resources, refresh: true };
  await cluster.ask((client) => client.update({ ...place, id: other!, doc: { length: 9 } }));
  await cluster.ask((client) => client.update({ ...place, id: older!, doc: { stamp: 2 } }));
  await cluster.ask((client) => client.delete({ ...place, id: gone! }));
  await cluster.close();
  return keys;
}
