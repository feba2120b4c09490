import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Bench, BenchOptions, Figure } from '../figure.ts';
import { partsOf } from '../support/documents.ts';
import { type BenchServer, onElasticsearch } from '../support/elasticsearch.ts';
import { fillSet } from '../support/fill-elasticsearch.ts';
import { SET } from '../support/filled-source.ts';
import { HttpClient } from '../support/http-client.ts';
import { MOST_MEMORY_MB } from '../support/peak-memory.ts';
import { median } from '../support/spread.ts';
import type { Server } from '../support/tidemark.ts';

const ENTRIES = 50_000;
const PAGES = 8;

export const elasticsearchPage: Bench = {
  name: 'es-page',
  about: 'rendering pages of 50,000 entries from Elasticsearch',

  run: (options) => onElasticsearch(options, (server) => measure(options, server)),
};

async function measure({ runs, log }: BenchOptions, server: BenchServer): Promise<readonly Figure[]> {
  const prefix = server.nextPrefix();
  const tidemark = await server.tidemark(prefix);
  await tidemark.addSet(SET, '--page-size', String(ENTRIES));
  // Pages are cut with a tenth left free: nine of them are made of what fills eight.
  await fillSet(server, { prefix, slug: SET, count: ENTRIES * PAGES, log });
  const times: number[] = [];
  const bare: number[] = [];
  const memory: number[] = [];
  for (let run = 1; run <= runs; run++) {
    rmSync(join(tidemark.dataFolder, 'documents'), { recursive: true, force: true });
    const source = await tidemark.start();
    try {
      const paths = partsOf(await source.client.text(`/sets/${SET}/resourcelist.xml`)).map(({ path }) => path);
      // The first two warm the render thread up, and do not count.
      for (const path of paths.slice(0, 2)) await timeOf(source, path);
      const rendered = await timeOf(source, paths[2]!);
      times.push((rendered.milliseconds / rendered.entries) * ENTRIES);
      await wait(200);
      bare.push(await bareQuery(server, prefix));
      await source.stop();

      rmSync(join(tidemark.dataFolder, 'documents'), { recursive: true, force: true });
      const other = await tidemark.start();
      await Promise.all(paths.slice(0, PAGES).map((path) => timeOf(other, path)));
      memory.push(other.peakMemory());
      await other.stop();
    } finally {
      await source.stop();
    }
    log(
      `${run}: ${times.at(-1)!.toFixed(0)} ms, bare ${bare.at(-1)!.toFixed(0)} ms, 8 in ${memory.at(-1)!.toFixed(0)} MB`,
    );
  }
  await server.remove(prefix);
  return [
    {
      name: 'page of 50,000, query to the last compressed byte',
      unit: 'ms',
      ours: times,
      baseline: { name: 'bare query of 50,000 documents, unsorted, in one answer', values: bare },
      limit: { most: 2 * median(bare) },
    },
    {
      name: '… peak memory of tidemark, 8 pages asked for at once',
      unit: 'MB',
      ours: memory,
      limit: { most: MOST_MEMORY_MB },
    },
  ];
}

async function timeOf({ url }: Server, path: string): Promise<{ milliseconds: number; entries: number }> {
  const client = new HttpClient(url);
  const start = performance.now();
  await client.get(path, { 'Accept-Encoding': 'gzip' });
  const milliseconds = performance.now() - start;
  const entries = (await client.text(path)).split('<url>').length - 1;
  client.close();
  return { milliseconds, entries };
}

/** The best of five: the answer's bytes, unparsed. */
async function bareQuery({ url }: BenchServer, prefix: string): Promise<number> {
  const lower = '0000000001/records/00100/';
  const query = { bool: { filter: [{ range: { order: { gte: lower } } }, { term: { doc_type: 'resource' } }] } };
  const times: number[] = [];
  for (let attempt = 0; attempt < 5; attempt++) {
    const start = performance.now();
    const answer = await fetch(`${url}/${prefix}-resources/_search`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query, size: ENTRIES, track_total_hits: false }),
    });
    const { byteLength } = await answer.arrayBuffer();
    if (!answer.ok || byteLength < ENTRIES * 100) throw new Error('the bare query did not find 50,000 documents');
    times.push(performance.now() - start);
  }
  return Math.min(...times);
}
