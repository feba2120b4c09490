import { rmSync } from 'node:fs';
import type { Bench, BenchOptions, Figure } from '../figure.ts';
import { partsOf } from '../support/documents.ts';
import { onElasticsearch } from '../support/elasticsearch.ts';
import { writeEvents } from '../support/events.ts';
import { HttpClient } from '../support/http-client.ts';
import { MOST_MEMORY_MB } from '../support/peak-memory.ts';
import { readyToPost } from '../support/post-file.ts';
import { Tidemark } from '../support/tidemark.ts';

const SET = 'records';
const POSTERS = 4;
const READERS = 8;

export const mirrorMemory: Bench = {
  name: 'mirror-memory',
  about: 'memory after 300,000 posted resources, all pages of which 8 clients read',

  run: async (options) => [await measure(options, 'SQLite', (folder) => Tidemark.create(folder))],
};

export const elasticsearchMirrorMemory: Bench = {
  name: 'es-mirror-memory',
  about: 'the same on Elasticsearch',

  run: (options) =>
    onElasticsearch(options, async (server) => {
      const prefixes: string[] = [];
      const figure = await measure(options, 'Elasticsearch', () => {
        prefixes.push(server.nextPrefix());
        return server.tidemark(prefixes.at(-1)!);
      });
      for (const prefix of prefixes) await server.remove(prefix);
      return [figure];
    }),
};

async function measure(
  options: BenchOptions,
  store: string,
  create: (folder: string) => Promise<Tidemark>,
): Promise<Figure> {
  const { runs, scale, folder, log } = options;
  const count = Math.round((300_000 * scale) / POSTERS) * POSTERS;
  const files = Array.from({ length: POSTERS }, (_, poster) => folder.next(`poster-${poster}.ndjson`));
  for (const [poster, file] of files.entries()) {
    const share = count / POSTERS;
    await writeEvents(file, { count: share, order: 'random', first: poster * share });
  }
  const memory: number[] = [];
  for (let run = 1; run <= runs; run++) {
    const tidemark = await create(folder.next('data'));
    await tidemark.addSet(SET);
    const server = await tidemark.start();
    try {
      const posts = await Promise.all(
        files.map((file) => readyToPost(server, { set: SET, file, count: count / POSTERS })),
      );
      await Promise.all(posts.map((post) => post()));
      const posted = server.peakMemory();
      await Promise.all(Array.from({ length: READERS }, () => readAllPages(server.url)));
      memory.push(server.peakMemory());
      log(`${store} ${run}: ${memory.at(-1)!.toFixed(0)} MB, ${posted.toFixed(0)} of them while posting`);
    } finally {
      await server.stop();
      rmSync(tidemark.dataFolder, { recursive: true });
    }
  }
  for (const file of files) rmSync(file);
  return {
    name: `peak memory, ${count.toLocaleString('en')} posted resources on ${store}, ${READERS} clients read all pages`,
    unit: 'MB',
    ours: memory,
    limit: { most: MOST_MEMORY_MB },
  };
}

async function readAllPages(url: string): Promise<void> {
  const client = new HttpClient(url);
  try {
    for (const { path } of partsOf(await client.text(`/sets/${SET}/resourcelist.xml`))) {
      await client.get(path, { 'Accept-Encoding': 'gzip' });
    }
  } finally {
    client.close();
  }
}
