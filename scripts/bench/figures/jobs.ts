import type { StoreLocation } from '../../../src/stores/locations.ts';
import type { Bench, BenchOptions, Figure } from '../figure.ts';
import { runScript } from '../support/child.ts';
import { onElasticsearch } from '../support/elasticsearch.ts';

const JOBS = 10_000;

export const jobs: Bench = {
  name: 'jobs',
  about: 'jobs of nothing, done by one worker one at a time',

  run: (options) => measure(options, 500, (work) => work({ kind: 'sqlite', file: options.folder.next('jobs.db') })),
};

export const elasticsearchJobs: Bench = {
  name: 'es-jobs',
  about: 'jobs of nothing on Elasticsearch, done by one worker one at a time',

  run: (options) =>
    onElasticsearch(options, (server) =>
      measure(options, 50, async (work) => {
        const prefix = server.nextPrefix();
        await work({ kind: 'elasticsearch', nodes: [server.url], prefix });
        await server.remove(prefix);
      }),
    ),
};

/** @param onStore does the work on a store of its own */
async function measure(
  { runs, scale, log }: BenchOptions,
  least: number,
  onStore: (work: (store: StoreLocation) => Promise<void>) => Promise<void>,
): Promise<readonly Figure[]> {
  const count = Math.round(JOBS * scale);
  const rates: number[] = [];
  for (let run = 1; run <= runs; run++) {
    await onStore(async (store) => {
      const { seconds } = await runScript<{ seconds: number }>('probes/run-jobs.ts', { store, count });
      rates.push(count / seconds);
    });
    log(`${run}: ${rates.at(-1)!.toFixed(0)} jobs/s`);
  }
  return [{ name: 'jobs of nothing', unit: 'jobs/s', ours: rates, limit: { least } }];
}
