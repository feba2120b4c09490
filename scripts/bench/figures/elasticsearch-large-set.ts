import { setTimeout as wait } from 'node:timers/promises';
import type { Bench, BenchOptions, Figure } from '../figure.ts';
import { Reader } from '../support/documents.ts';
import { type BenchServer, onElasticsearch } from '../support/elasticsearch.ts';
import { fillSet } from '../support/fill-elasticsearch.ts';
import { SET } from '../support/filled-source.ts';
import { changeAndRead, STEPS, type Times } from '../support/one-change.ts';
import { median, secondsSince } from '../support/spread.ts';
import type { Tidemark } from '../support/tidemark.ts';

const SMALL = 100_000;
const CHANGES = 20;

export const elasticsearchLargeSet: Bench = {
  name: 'es-large-set',
  about: 'start, and one change, with 10,000,000 resources on Elasticsearch',

  run: (options) => onElasticsearch(options, (server) => measure(options, server)),
};

async function measure(options: BenchOptions, server: BenchServer): Promise<readonly Figure[]> {
  const large = Math.round(10_000_000 * options.scale);
  const sources = [await prepare(options, server, SMALL), await prepare(options, server, large)] as const;
  const small = await changes(options, sources[0], SMALL);
  const big = await changes(options, sources[1], large);
  const start: number[] = [];
  for (let run = 0; run < options.runs; run++) start.push(await secondsUntilReady(sources[1].tidemark));
  for (const { prefix } of sources) await server.remove(prefix);
  const count = large.toLocaleString('en');
  return [
    {
      name: `one change among ${count}, seen in both lists`,
      unit: 'ms',
      ours: big,
      baseline: { name: `the same among ${SMALL.toLocaleString('en')}`, values: small },
      limit: { most: 1.5 * median(small) },
    },
    { name: `start with ${count} resources until ready`, unit: 's', ours: start, limit: { most: 3 } },
    { name: `making the ${count} by _bulk`, unit: 's', ours: [sources[1].fillSeconds] },
    { name: '… and their page directory, at the first request', unit: 's', ours: [sources[1].directorySeconds] },
  ];
}

interface Prepared {
  readonly prefix: string;
  readonly tidemark: Tidemark;
  readonly fillSeconds: number;
  readonly directorySeconds: number;
}

async function prepare({ log }: BenchOptions, server: BenchServer, count: number): Promise<Prepared> {
  const prefix = server.nextPrefix();
  const tidemark = await server.tidemark(prefix);
  await tidemark.addSet(SET);
  let begin = performance.now();
  await fillSet(server, { prefix, slug: SET, count, log });
  const fillSeconds = secondsSince(begin);
  const source = await tidemark.start();
  begin = performance.now();
  await source.client.text(`/sets/${SET}/resourcelist.xml`);
  const directorySeconds = secondsSince(begin);
  await source.stop();
  log(`${count} resources made in ${fillSeconds.toFixed(0)} s, their directory in ${directorySeconds.toFixed(1)} s`);
  return { prefix, tidemark, fillSeconds, directorySeconds };
}

async function changes({ runs, log }: BenchOptions, { tidemark }: Prepared, resources: number): Promise<number[]> {
  const source = await tidemark.start();
  const totals: number[] = [];
  try {
    const reader = new Reader(source.client);
    // The first round warms everything up, and does not count.
    for (let run = 0; run <= runs; run++) {
      const all: Times[] = [];
      for (let change = 0; change < CHANGES; change++) {
        await wait(100);
        const number = Math.floor((change / CHANGES) * resources);
        all.push(await changeAndRead(source, reader, { number, revision: 1_000 + run }));
      }
      const total = median(all.map(({ post, index, page, changes }) => post + index + page + changes));
      const steps = STEPS.map((step) => `${step} ${median(all.map((times) => times[step])).toFixed(0)}`);
      log(`${resources} resources, ${run}: ${total.toFixed(0)} ms (${steps.join(', ')})`);
      if (run > 0) totals.push(total);
    }
  } finally {
    await source.stop();
  }
  return totals;
}

async function secondsUntilReady(tidemark: Tidemark): Promise<number> {
  const begin = performance.now();
  const source = await tidemark.start();
  await source.client.get('/readyz');
  const seconds = secondsSince(begin);
  await source.stop();
  return seconds;
}
