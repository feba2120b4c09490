import type { Bench, BenchOptions, Figure } from '../figure.ts';
import { type BenchServer, onElasticsearch } from '../support/elasticsearch.ts';
import { pathOf } from '../support/events.ts';
import { fillSet } from '../support/fill-elasticsearch.ts';
import { SET } from '../support/filled-source.ts';
import type { HttpClient } from '../support/http-client.ts';
import { secondsSince } from '../support/spread.ts';

const RESOURCES = 1_000_000;
const LIMIT = 100;

export const elasticsearchSearch: Bench = {
  name: 'es-search',
  about: `finding resources by a part of their key among ${RESOURCES.toLocaleString('en')}, on Elasticsearch`,

  run: (options) => onElasticsearch(options, (server) => measure(options, server)),
};

async function measure(options: BenchOptions, server: BenchServer): Promise<readonly Figure[]> {
  const { runs, log } = options;
  const resources = Math.round(RESOURCES * options.scale);
  const prefix = server.nextPrefix();
  const tidemark = await server.tidemark(prefix);
  await tidemark.addSet(SET);
  await fillSet(server, { prefix, slug: SET, count: resources, log });
  const source = await tidemark.start();
  const rare = { ours: [] as number[], bare: [] as number[] };
  const frequent = { ours: [] as number[], bare: [] as number[] };
  const longest: number[] = [];
  try {
    // The first round warms everything up, and does not count.
    for (let run = 0; run <= runs; run++) {
      // Its number alone, as a person types it who knows no more.
      const number = Math.floor(((run + 1) / (runs + 2)) * resources);
      const one = pathOf(number).split('/').at(-1)!;
      const found = await findAll(source.client, one);
      const bareOne = await bare(server, { prefix, part: one });
      const some = await findFirst(source.client, 'records');
      const bareSome = await bare(server, { prefix, part: 'records' });
      log(`${run}: one ${found.seconds.toFixed(2)} s in ${found.answers} answers, bare ${bareOne.toFixed(2)} s`);
      if (run === 0) continue;
      rare.ours.push(found.seconds);
      rare.bare.push(bareOne);
      frequent.ours.push(some);
      frequent.bare.push(bareSome);
      longest.push(found.longest);
    }
  } finally {
    await source.stop();
    await server.remove(prefix);
  }
  const count = resources.toLocaleString('en');
  const wildcard = (values: readonly number[]) => ({ name: 'wildcard query', values });
  return [
    { name: `finding one of ${count} by its name`, unit: 's', ours: rare.ours, baseline: wildcard(rare.bare) },
    { name: '… the longest answer on the way', unit: 's', ours: longest },
    { name: `the first ${LIMIT} of ${count}`, unit: 's', ours: frequent.ours, baseline: wildcard(frequent.bare) },
  ];
}

interface Answer {
  readonly resources: readonly unknown[];
  readonly next?: string;
}

/** Goes on until everything was searched. */
async function findAll(client: HttpClient, part: string) {
  const begin = performance.now();
  let longest = 0;
  let answers = 0;
  let count = 0;
  let after: string | undefined;
  do {
    const asked = performance.now();
    const { resources, next } = await find(client, part, after);
    longest = Math.max(longest, secondsSince(asked));
    answers += 1;
    count += resources.length;
    after = next;
  } while (after !== undefined);
  if (count !== 1) throw new Error(`${count} resources were found by ${part}`);
  return { seconds: secondsSince(begin), longest, answers };
}

async function findFirst(client: HttpClient, part: string): Promise<number> {
  const begin = performance.now();
  const { resources } = await find(client, part);
  if (resources.length !== LIMIT) throw new Error(`${resources.length} resources were found by ${part}`);
  return secondsSince(begin);
}

async function find(client: HttpClient, part: string, after?: string): Promise<Answer> {
  const query = new URLSearchParams({ contains: part, limit: String(LIMIT), ...(after !== undefined && { after }) });
  const { body } = await client.get(`/api/sets/${SET}/resources?${query}`);
  return JSON.parse(body.toString('utf8')) as Answer;
}

/** Seconds of what Elasticsearch has for this, in the same order. */
async function bare({ url }: BenchServer, { prefix, part }: { readonly prefix: string; readonly part: string }) {
  const begin = performance.now();
  const search = { query: { wildcard: { order: `*${part}*` } }, sort: ['order'], size: LIMIT, track_total_hits: false };
  const answer = await fetch(`${url}/${prefix}-resources/_search`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(search),
  });
  const { hits } = (await answer.json()) as { readonly hits: { readonly hits: readonly unknown[] } };
  if (hits.hits.length === 0) throw new Error(`nothing was found by ${part}`);
  return secondsSince(begin);
}
