import { rmSync } from 'node:fs';
import type { Bench, BenchOptions, Figure } from '../figure.ts';
import { runScript } from '../support/child.ts';
import { type BenchServer, onElasticsearch } from '../support/elasticsearch.ts';
import { writeEvents } from '../support/events.ts';
import { readyToPost } from '../support/post-file.ts';
import { median, secondsSince } from '../support/spread.ts';

const SET = 'records';
const CLIENTS = 4;
const TUNINGS = [
  { batch: 2_000, atOnce: 2 },
  { batch: 2_000, atOnce: 4 },
  { batch: 5_000, atOnce: 2 },
] as const;
type Tuning = (typeof TUNINGS)[number];

export const elasticsearchPosting: Bench = {
  name: 'es-posting',
  about: 'posting 400,000 events over HTTP to a source on Elasticsearch, 4 clients',

  run: (options) => onElasticsearch(options, (server) => measure(options, server)),
};

async function measure(options: BenchOptions, server: BenchServer): Promise<readonly Figure[]> {
  const { runs, scale, folder, log } = options;
  const count = Math.round(400_000 * scale);
  const files: string[] = [];
  for (let client = 0; client < CLIENTS; client++) {
    const file = folder.next(`client-${client}.ndjson`);
    await writeEvents(file, { count: count / CLIENTS, order: 'random', first: (client * count) / CLIENTS });
    files.push(file);
  }
  const all = folder.next('all.ndjson');
  await writeEvents(all, { count, order: 'random' });

  // Warms up the server, too.
  const rates = new Map<Tuning, number>();
  for (const tuning of TUNINGS) rates.set(tuning, await writeBare(server, { events: all, count, tuning }));
  const [[best]] = [...rates].sort(([, a], [, b]) => b - a) as [[Tuning, number]];
  const ours: number[] = [];
  const memory: number[] = [];
  const bare: number[] = [];
  for (let run = 1; run <= runs; run++) {
    const posted = await post(server, { files, count });
    ours.push(posted.rate);
    memory.push(posted.memory);
    bare.push(await writeBare(server, { events: all, count, tuning: best }));
    log(`${run}: ${Math.round(ours.at(-1)!)}/s in ${Math.round(posted.memory)} MB, bare ${Math.round(bare.at(-1)!)}/s`);
  }
  for (const file of [...files, all]) rmSync(file);
  const name = `bare _bulk of ${best.batch.toLocaleString('en')} events, ${best.atOnce} at a time`;
  return [
    {
      name: `posting ${count.toLocaleString('en')} events, ${CLIENTS} clients, until they can be searched`,
      unit: 'events/s',
      ours,
      baseline: { name, values: bare },
      limit: { least: 0.65 * median(bare) },
    },
    { name: '… peak memory of tidemark', unit: 'MB', ours: memory },
  ];
}

/**
 * Until everything is applied and can be searched, so that nothing is left to be done when the clock stops: that is
 * what a set's totals are read after. The clients are started before, as what bare `_bulk` sends is in memory.
 */
async function post(server: BenchServer, { files, count }: { files: readonly string[]; count: number }) {
  const prefix = server.nextPrefix();
  const tidemark = await server.tidemark(prefix);
  await tidemark.addSet(SET);
  const source = await tidemark.start();
  try {
    const ready = files.map((file) => readyToPost(source, { set: SET, file, count: count / files.length }));
    const clients = await Promise.all(ready);
    const begin = performance.now();
    await Promise.all(clients.map((post) => post()));
    const { body } = await source.client.get(`/api/sets/${SET}`);
    const rate = count / secondsSince(begin);
    const { resources } = JSON.parse(body.toString()) as { resources: number };
    if (resources !== count) throw new Error(`of ${count} resources ${resources} are there`);
    return { rate, memory: source.peakMemory() };
  } finally {
    await source.stop();
    await server.remove(prefix);
  }
}

async function writeBare(
  server: BenchServer,
  { events, count, tuning }: { events: string; count: number; tuning: Tuning },
): Promise<number> {
  const prefix = server.nextPrefix();
  const { seconds } = await runScript<{ seconds: number }>('baselines/elasticsearch-bulk.ts', {
    url: server.url,
    prefix,
    events,
    ...tuning,
  });
  await server.remove(prefix);
  return count / seconds;
}
