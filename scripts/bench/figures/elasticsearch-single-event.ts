import { setTimeout as wait } from 'node:timers/promises';
import type { Bench, BenchOptions, Figure } from '../figure.ts';
import { type BenchServer, onElasticsearch } from '../support/elasticsearch.ts';
import { postMore, SET } from '../support/filled-source.ts';
import { HttpClient } from '../support/http-client.ts';
import { listedAfter, untilListed } from '../support/listed-after.ts';
import { percentile } from '../support/spread.ts';

const RESOURCES = 10_000;
const EVENTS = 100;
/** Milliseconds between two events, so that the source is idle. */
const PAUSE = 100;

export const elasticsearchSingleEvent: Bench = {
  name: 'es-single-event',
  about: 'one event posted alone to an idle source of 10,000 resources on Elasticsearch',

  run: (options) => onElasticsearch(options, (server) => measure(options, server)),
};

async function measure(options: BenchOptions, server: BenchServer): Promise<readonly Figure[]> {
  const { runs, log, folder } = options;
  const acknowledged: number[] = [];
  const listed: number[] = [];
  const bare: number[] = [];
  const prefix = server.nextPrefix();
  const tidemark = await server.tidemark(prefix);
  await tidemark.addSet(SET);
  const source = await tidemark.start();
  try {
    await postMore(source, { folder, count: RESOURCES, revision: 0 });
    await untilListed(source, 0);
    // The first ones warm everything up, and do not count.
    await listedAfter(source, { events: EVENTS, pause: PAUSE, revision: 1_000 });
    for (let run = 1; run <= runs; run++) {
      const times = await listedAfter(source, { events: EVENTS, pause: PAUSE, revision: run });
      acknowledged.push(percentile(times.acknowledged, 95));
      listed.push(percentile(times.listed, 95));
      bare.push(percentile(await writeBare(server), 95));
      const [a, l, b] = [acknowledged, listed, bare].map((all) => all.at(-1)!.toFixed(1));
      log(`${run}: p95 acknowledged ${a} ms, in the lists ${l} ms, bare ${b} ms`);
    }
  } finally {
    await source.stop();
    await server.remove(prefix);
  }
  const baseline = { name: 'bare _bulk of two documents', values: bare };
  return [
    { name: 'one event until acknowledged, p95', unit: 'ms', ours: acknowledged, baseline, limit: { most: 100 } },
    { name: 'one event until in both lists, p95', unit: 'ms', ours: listed, baseline, limit: { most: 500 } },
  ];
}

/** Milliseconds of bulk requests of two documents each. */
async function writeBare({ url }: BenchServer): Promise<number[]> {
  const client = new HttpClient(url);
  const index = `bench-bare-${process.pid}`;
  const times: number[] = [];
  for (let number = 0; number < EVENTS; number++) {
    await wait(PAUSE);
    const start = performance.now();
    const lines = [1, 2].map((at) => `{"index":{"_id":"${number}-${at}"}}\n{"number":${number}}\n`);
    await client.post(`/${index}/_bulk`, lines.join(''));
    times.push(performance.now() - start);
  }
  client.close();
  await fetch(`${url}/${index}`, { method: 'DELETE' });
  return times;
}
