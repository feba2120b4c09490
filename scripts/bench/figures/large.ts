import { loadavg } from 'node:os';
import type { Bench, BenchOptions, Figure } from '../figure.ts';
import { onElasticsearch } from '../support/elasticsearch.ts';
import { SET } from '../support/filled-source.ts';
import { elasticsearchSource } from '../support/large/elasticsearch-source.ts';
import { figuresOf, postingFigures } from '../support/large/figures.ts';
import type { LargeSource } from '../support/large/large-source.ts';
import { type Measured, measureSource } from '../support/large/measure-source.ts';
import { postMade } from '../support/large/post-made.ts';
import { sqliteSource } from '../support/large/sqlite-source.ts';

const SIZES = [100_000, 1_000_000, 10_000_000];

export const large: Bench = {
  name: 'large',
  about: '10,000,000 resources on SQLite: posting, start, lists, one change, verify, archive, rebuild, mirror (hours)',
  onlyByName: true,

  run: (options) => measureSizes(options, 'SQLite', (count) => sqliteSource(options.folder, count)),
};

export const elasticsearchLarge: Bench = {
  name: 'es-large',
  about: 'the same on Elasticsearch',
  onlyByName: true,

  run: (options) =>
    onElasticsearch(options, (server) =>
      measureSizes(options, 'Elasticsearch', (count) => elasticsearchSource(server, count)),
    ),
};

/** One size after the other, the largest last, so that what a bench prints while it runs can be compared early. */
async function measureSizes(
  options: BenchOptions,
  store: string,
  create: (count: number) => Promise<LargeSource>,
): Promise<readonly Figure[]> {
  const measured: Measured[] = [];
  const counts = SIZES.map((size) => Math.round(size * options.scale));
  const log = (count: number) => (text: string) =>
    options.log(`${count.toLocaleString('en')} on ${store}, load ${loadavg()[0]!.toFixed(1)}: ${text}`);
  for (const count of counts) {
    measured.push(await used(await create(count), (source) => measureSource(source, options, log(count))));
  }
  const largest = counts.at(-1)!;
  const ascending = await used(await create(largest), async ({ tidemark }) => {
    await tidemark.addSet(SET);
    return postMade(tidemark, { count: largest, order: 'ascending' }, log(largest));
  });
  return [
    ...postingFigures(store, largest, 'random', measured.at(-1)!.filled),
    ...postingFigures(store, largest, 'ascending', ascending),
    ...figuresOf(store, measured as [Measured, Measured, Measured]),
  ];
}

async function used<Result>(source: LargeSource, work: (source: LargeSource) => Promise<Result>): Promise<Result> {
  try {
    return await work(source);
  } finally {
    await source.remove();
  }
}
