import { setTimeout as wait } from 'node:timers/promises';
import type { Bench } from '../figure.ts';
import { NETWORKS } from '../support/harvested.ts';
import { OaiSource } from '../support/oai-source.ts';
import { MOST_MEMORY_MB } from '../support/peak-memory.ts';
import { median } from '../support/spread.ts';
import { type Server, Tidemark } from '../support/tidemark.ts';

const COLLECTIONS = 200;
const RECORDS = 5_000;
const AT_ONCE = 10;
const POLL_MS = 500;

export const harvestMany: Bench = {
  name: 'harvest-many',
  about: 'runs of 200 collections of 5,000 records, ten at a time, by one server',

  async run({ runs, scale, folder, log }) {
    const collections = Math.max(AT_ONCE, Math.round(COLLECTIONS * scale));
    const source = await OaiSource.start();
    const all: number[] = [];
    const means: number[] = [];
    const memory: number[] = [];
    try {
      for (let run = 1; run <= runs; run++) {
        const tidemark = await Tidemark.create(folder.next('data'), NETWORKS);
        const ids = Array.from({ length: collections }, (_, number) => `c${String(number).padStart(3, '0')}`);
        const server = await tidemark.start(['serve', '--concurrency', String(AT_ONCE)], {
          TIDEMARK_ACCESS_LOG: 'false',
        });
        try {
          for (const id of ids) await add(server, id, source.baseUrl({ name: id, records: RECORDS }));
          const ended = await harvestAll(server, ids);
          all.push(Math.max(...ended));
          means.push(ended.reduce((sum, seconds) => sum + seconds) / ended.length);
          memory.push(server.peakMemory());
        } finally {
          await server.stop();
        }
        log(`${run}: the last after ${all.at(-1)!.toFixed(1)} s, the mean ${means.at(-1)!.toFixed(1)} s`);
      }
    } finally {
      source.stop();
    }
    return [
      {
        name: `harvests of ${collections} collections of ${RECORDS.toLocaleString('en')} records, until the last ends`,
        unit: 's',
        ours: all,
        baseline: { name: 'the mean end', values: means },
        limit: { most: median(means) * 3 },
      },
      { name: '… memory', unit: 'MB', ours: memory, limit: { most: MOST_MEMORY_MB } },
    ];
  },
};

async function add({ client }: Server, id: string, baseUrl: string): Promise<void> {
  await client.post(
    '/api/collections',
    JSON.stringify({ collection: id, provider: 'bench', baseUrl, format: 'oai_dc' }),
  );
}

/** Seconds from the first request until each run has ended. @throws Error for one that is not complete */
async function harvestAll({ client }: Server, ids: readonly string[]): Promise<readonly number[]> {
  const begun = Date.now();
  for (const id of ids) await client.post(`/api/collections/${id}/harvests`, '{}');
  const ended = new Map<string, number>();
  while (ended.size < ids.length) {
    await wait(POLL_MS);
    for (const id of ids.filter((one) => !ended.has(one))) {
      const run = JSON.parse(await client.text(`/api/collections/${id}/harvests/1`));
      if (run.ended === undefined) continue;
      if (run.status !== 2) throw new Error(`the harvest of ${id} ended with ${run.status}: ${run.failure}`);
      ended.set(id, (Date.parse(run.ended) - begun) / 1000);
    }
  }
  return [...ended.values()];
}
