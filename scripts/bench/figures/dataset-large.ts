import { rmSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Bench } from '../figure.ts';
import { DatasetSource } from '../support/dataset-source.ts';
import { EventLoopProbe } from '../support/event-loop.ts';
import { MOST_MEMORY_MB } from '../support/peak-memory.ts';
import { secondsSince } from '../support/spread.ts';
import { type Server, Tidemark } from '../support/tidemark.ts';

const FILES = 10_000;
const FILE_BYTES = 1_000;
const POLL_MS = 100;

export const datasetLarge: Bench = {
  name: 'dataset-large',
  about: 'one dataset of 10,000 files of 1 kB, until it is published, in one commit',

  async run({ folder, runs, scale, log }) {
    const files = Math.round(FILES * scale);
    const [seconds, blocked, memory] = [[] as number[], [] as number[], [] as number[]];
    const source = await DatasetSource.start({ datasets: 1, files, size: FILE_BYTES });
    try {
      for (let run = 1; run <= runs; run++) {
        const probe = new EventLoopProbe(folder.next('event-loop'));
        const settings = { TIDEMARK_DATASET_NETWORKS: '127.0.0.1', TIDEMARK_DATASET_FILES: String(files) };
        const tidemark = await Tidemark.create(folder.next('data'), settings);
        const server = await tidemark.start(['serve'], probe.env);
        try {
          await probe.longestBlock(server);
          seconds.push(await ingest(server, source, files + 1));
          blocked.push(await probe.longestBlock(server));
          memory.push(server.peakMemory());
        } finally {
          await server.stop();
        }
        rmSync(tidemark.dataFolder, { recursive: true });
        log(`${run}: ${seconds.at(-1)!.toFixed(1)} s in ${memory.at(-1)!.toFixed(0)} MB`);
      }
    } finally {
      source.stop();
    }
    return [
      { name: `ingesting a dataset of ${files.toLocaleString('en')} files of 1 kB`, unit: 's', ours: seconds },
      { name: '… longest block of the event loop', unit: 'ms', ours: blocked },
      { name: '… memory', unit: 'MB', ours: memory, limit: { most: MOST_MEMORY_MB } },
    ];
  },
};

/** Seconds until it is published. @throws Error when it is no hit, or when a part of it was published alone */
async function ingest({ url, client }: Server, source: DatasetSource, resources: number): Promise<number> {
  const begun = performance.now();
  const headers = { 'Content-Type': 'application/x-ndjson' };
  await (await fetch(`${url}/api/datasets`, { method: 'POST', headers, body: source.lines() })).text();
  for (let published = 0; published < resources; ) {
    await wait(POLL_MS);
    published = JSON.parse(await client.text('/api/sets/datasets')).resources;
    if (published > 0 && published < resources) throw new Error(`${published} of ${resources} resources are published`);
    const { result } = JSON.parse(await client.text('/api/datasets?limit=1')).requests[0];
    if (result?.hit === false) throw new Error(`${result.status}: ${result.message}`);
  }
  return secondsSince(begun);
}
