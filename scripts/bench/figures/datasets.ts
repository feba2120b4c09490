import { rmSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Bench, BenchOptions, Figure } from '../figure.ts';
import { runScript } from '../support/child.ts';
import { DatasetSource } from '../support/dataset-source.ts';
import { EventLoopProbe } from '../support/event-loop.ts';
import { MOST_MEMORY_MB } from '../support/peak-memory.ts';
import { median, secondsSince } from '../support/spread.ts';
import { type Server, Tidemark } from '../support/tidemark.ts';

const DATASETS = 2_000;
const FILES = 5;
const FILE_BYTES = 1_000;
const AT_ONCE = 12;
const POLL_MS = 100;
/** Of the bare script. */
const LEAST_SHARE = 0.3;
/** How much faster a second request of a dataset is than the first. */
const LEAST_GAIN = 3;
const LONGEST_BLOCK_MS = 50;

interface Measured {
  readonly first: number[];
  readonly second: number[];
  readonly bare: number[];
  readonly blocked: number[];
  readonly memory: number[];
}

export const datasets: Bench = {
  name: 'datasets',
  about:
    '2,000 datasets of 5 files of 1 kB, twelve at a time, until each is published; beside a script that sends the same seven requests for each and writes one file',

  async run(options) {
    const count = Math.max(AT_ONCE, Math.round(DATASETS * options.scale));
    const measured: Measured = { first: [], second: [], bare: [], blocked: [], memory: [] };
    const source = await DatasetSource.start({ datasets: count, files: FILES, size: FILE_BYTES });
    try {
      for (let run = 1; run <= options.runs; run++) {
        measured.bare.push(count / (await bareSeconds(options, source)));
        await measure(options, { source, count, measured });
        const last = Object.entries(measured).map(([name, values]) => `${name} ${values.at(-1)!.toFixed(1)}`);
        options.log(`${run}: ${last.join(', ')}`);
      }
    } finally {
      source.stop();
    }
    return figures(count, measured);
  },
};

async function bareSeconds({ folder }: BenchOptions, { url, ids }: DatasetSource): Promise<number> {
  const path = folder.next('bare');
  const options = { url, ...ids, atOnce: AT_ONCE, folder: path };
  const { seconds } = await runScript<{ readonly seconds: number }>('baselines/fetch-datasets.ts', options);
  rmSync(path, { recursive: true });
  return seconds;
}

async function measure(
  { folder }: BenchOptions,
  { source, count, measured }: { readonly source: DatasetSource; readonly count: number; readonly measured: Measured },
): Promise<void> {
  const probe = new EventLoopProbe(folder.next('event-loop'));
  const tidemark = await Tidemark.create(folder.next('data'), { TIDEMARK_DATASET_NETWORKS: '127.0.0.1' });
  const server = await tidemark.start(['serve', '--concurrency', String(AT_ONCE)], {
    ...probe.env,
    TIDEMARK_ACCESS_LOG: 'false',
  });
  try {
    await probe.longestBlock(server);
    measured.first.push(count / (await ingestAll(server, source, count)));
    measured.second.push(count / (await ingestAll(server, source, count)));
    measured.blocked.push(await probe.longestBlock(server));
    measured.memory.push(server.peakMemory());
  } finally {
    await server.stop();
  }
  rmSync(tidemark.dataFolder, { recursive: true });
}

/** Seconds from the first request until each has its result, and is published. @throws Error for one that is no hit */
async function ingestAll({ url, client }: Server, source: DatasetSource, count: number): Promise<number> {
  const begun = performance.now();
  const answer = await fetch(`${url}/api/datasets`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-ndjson' },
    body: source.lines(),
  });
  const last = JSON.parse((await answer.text()).trimEnd().split('\n').at(-1)!);
  if (last.added !== count) throw new Error(`the requests were answered with ${JSON.stringify(last)}`);
  for (const state of ['waiting', 'running']) {
    const isLeft = async () =>
      JSON.parse(await client.text(`/api/datasets?state=${state}&limit=1`)).requests.length > 0;
    while (await isLeft()) await wait(POLL_MS);
  }
  // The files of each dataset, and its manifest.
  const isPublished = async () => JSON.parse(await client.text('/api/sets/datasets')).resources === count * (FILES + 1);
  while (!(await isPublished())) await wait(POLL_MS);
  const seconds = secondsSince(begun);
  let next = '';
  do {
    const page = JSON.parse(await client.text(`/api/datasets?limit=1000${next}`));
    for (const { request, result } of page.requests) {
      if (result?.hit !== true) throw new Error(`${request.base_url}: ${result?.status}: ${result?.message}`);
    }
    next = page.next === undefined ? '' : `&after=${page.next}`;
  } while (next !== '');
  return seconds;
}

function figures(count: number, { first, second, bare, blocked, memory }: Measured): readonly Figure[] {
  const name = `${count.toLocaleString('en')} datasets of ${FILES} files of 1 kB`;
  return [
    {
      name: `ingesting ${name}`,
      unit: 'datasets/s',
      ours: first,
      baseline: { name: 'a bare script', values: bare },
      limit: { least: median(bare) * LEAST_SHARE },
    },
    {
      name: '… a second request for each',
      unit: 'datasets/s',
      ours: second,
      baseline: { name: 'the first', values: first },
      limit: { least: median(first) * LEAST_GAIN },
    },
    { name: '… longest block of the event loop', unit: 'ms', ours: blocked, limit: { most: LONGEST_BLOCK_MS } },
    { name: '… memory', unit: 'MB', ours: memory, limit: { most: MOST_MEMORY_MB } },
  ];
}
