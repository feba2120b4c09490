import type { Bench, BenchOptions, Figure } from '../figure.ts';
import { runScript } from '../support/child.ts';
import { type BenchServer, onElasticsearch } from '../support/elasticsearch.ts';
import { shuffled } from '../support/events.ts';
import { makeSets } from '../support/fill-elasticsearch.ts';
import { median, secondsSince } from '../support/spread.ts';

const REQUESTS = 4_000;
const EVENTS_PER_REQUEST = 10;
const AT_ONCE = 64;

export const elasticsearchSmallSets: Bench = {
  name: 'es-small-sets',
  about: 'a source of 20,000 small sets on Elasticsearch',

  run: (options) => onElasticsearch(options, (server) => measure(options, server)),
};

async function measure({ runs, scale, log }: BenchOptions, server: BenchServer): Promise<readonly Figure[]> {
  const count = Math.round(20_000 * scale);
  const prefix = server.nextPrefix();
  const tidemark = await server.tidemark(prefix);
  await tidemark.addSet('one');
  // One more for each run, to which nothing else is posted.
  await makeSets(server, { prefix, count: count + runs });
  const start: number[] = [];
  const home: number[] = [];
  const many: number[] = [];
  const one: number[] = [];
  for (let run = 1; run <= runs; run++) {
    const begin = performance.now();
    const source = await tidemark.start();
    await source.client.get('/readyz');
    start.push(secondsSince(begin));
    const numbers = shuffled(count).subarray((run * REQUESTS) % count);
    const sets = Array.from(numbers.subarray(0, REQUESTS), (number) => `set-${number}`);
    const post = async (sets: readonly string[]) => {
      const options = { url: source.url, sets, requests: REQUESTS, atOnce: AT_ONCE };
      const { seconds } = await runScript<{ seconds: number }>('probes/post-small.ts', options);
      return (REQUESTS * EVENTS_PER_REQUEST) / seconds;
    };
    many.push(await post(sets));
    one.push(await post([`set-${count + run - 1}`]));
    await source.client.get('/');
    const asked = performance.now();
    await source.client.get('/');
    home.push(performance.now() - asked);
    await source.stop();
    const [s, h] = [start.at(-1)!.toFixed(1), home.at(-1)!.toFixed(0)];
    log(
      `${run}: start ${s} s, / ${h} ms, ${Math.round(many.at(-1)!)}/s to random ones, ${Math.round(one.at(-1)!)}/s to one`,
    );
  }
  await server.remove(prefix);
  const sets = count.toLocaleString('en');
  return [
    {
      name: `posting to random ones of ${sets} sets, ${EVENTS_PER_REQUEST} events a request`,
      unit: 'events/s',
      ours: many,
      baseline: { name: 'the same to one of them', values: one },
      limit: { least: 0.5 * median(one) },
    },
    { name: `start with ${sets} sets until ready`, unit: 's', ours: start, limit: { most: 5 } },
    { name: `GET / of a source of ${sets} sets`, unit: 'ms', ours: home, limit: { most: 300 } },
  ];
}
