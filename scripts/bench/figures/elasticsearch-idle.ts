import { setTimeout as wait } from 'node:timers/promises';
import type { Bench, BenchOptions, Figure } from '../figure.ts';
import { countRequests } from '../support/counting-proxy.ts';
import { BenchServer, onElasticsearch } from '../support/elasticsearch.ts';
import { postMore, SET } from '../support/filled-source.ts';

const SECONDS = 20;

export const elasticsearchIdle: Bench = {
  name: 'es-idle',
  about: 'what an idle source asks Elasticsearch',

  run: (options) => onElasticsearch(options, (server) => measure(options, server)),
};

async function measure(options: BenchOptions, server: BenchServer): Promise<readonly Figure[]> {
  const proxy = await countRequests(server.url);
  const prefix = server.nextPrefix();
  const tidemark = await new BenchServer(proxy.url, options).tidemark(prefix);
  await tidemark.addSet(SET);
  const source = await tidemark.start();
  const rates: number[] = [];
  try {
    await postMore(source, { folder: options.folder, count: 1_000, revision: 0 });
    await source.client.text(`/sets/${SET}/resourcelist.xml`);
    await wait(2_000);
    for (let run = 1; run <= options.runs; run++) {
      const before = proxy.count();
      await wait(SECONDS * 1000);
      rates.push((proxy.count() - before) / SECONDS);
    }
  } finally {
    await source.stop();
    proxy.close();
    await server.remove(prefix);
  }
  return [{ name: 'requests of an idle source', unit: 'a second', ours: rates, limit: { most: 1 } }];
}
