import { rmSync } from 'node:fs';
import type { Bench, BenchOptions, Figure } from '../figure.ts';
import { runScript } from '../support/child.ts';
import { type KeyOrder, writeEvents } from '../support/events.ts';
import { MOST_MEMORY_MB } from '../support/peak-memory.ts';
import { postFile } from '../support/post-file.ts';
import { Tidemark } from '../support/tidemark.ts';

const SET = 'records';
const BATCHES = [5_000, 10_000, 20_000, 50_000];

export const posting: Bench = {
  name: 'posting',
  about: 'posting 1,000,000 events over HTTP',

  async run(options) {
    const figures: Figure[] = [];
    for (const order of ['random', 'ascending'] as const) figures.push(...(await measure(options, order)));
    return figures;
  },
};

async function measure(options: BenchOptions, order: KeyOrder): Promise<readonly Figure[]> {
  const { runs, scale, folder, log } = options;
  const count = Math.round(1_000_000 * scale);
  const events = folder.next(`${order}.ndjson`);
  await writeEvents(events, { count, order });
  const best = await bestBatch(options, { events, count, order });
  const ours: number[] = [];
  const memory: number[] = [];
  const bare: number[] = [];
  for (let run = 0; run < runs; run++) {
    const posted = await post(options, { events, count });
    ours.push(count / posted.seconds);
    memory.push(posted.memory);
    bare.push(count / (await writeBare(options, { events, batch: best })));
    log(
      `${order} ${run + 1}: ${Math.round(ours.at(-1)!)}/s in ${Math.round(posted.memory)} MB, bare ${Math.round(bare.at(-1)!)}/s`,
    );
  }
  rmSync(events);
  return [
    {
      name: `posting ${count.toLocaleString('en')} events, keys ${order}`,
      unit: 'events/s',
      ours,
      baseline: { name: `bare SQLite, batches of ${best.toLocaleString('en')}`, values: bare },
      limit: { least: 50_000 },
    },
    { name: `… peak memory, keys ${order}`, unit: 'MB', ours: memory, limit: { most: MOST_MEMORY_MB } },
  ];
}

async function post(
  { folder }: BenchOptions,
  { events, count }: { events: string; count: number },
): Promise<{ seconds: number; memory: number }> {
  const tidemark = await Tidemark.create(folder.next('data'));
  await tidemark.addSet(SET);
  const server = await tidemark.start();
  try {
    const seconds = await postFile(server, { set: SET, file: events, count });
    return { seconds, memory: server.peakMemory() };
  } finally {
    await server.stop();
    rmSync(tidemark.dataFolder, { recursive: true });
  }
}

async function bestBatch(
  options: BenchOptions,
  { events, count, order }: { events: string; count: number; order: KeyOrder },
): Promise<number> {
  const rates = new Map<number, number>();
  for (const batch of BATCHES) rates.set(batch, count / (await writeBare(options, { events, batch })));
  for (const [batch, rate] of rates) options.log(`${order}, bare SQLite in batches of ${batch}: ${Math.round(rate)}/s`);
  return [...rates].sort(([, a], [, b]) => b - a)[0]![0];
}

async function writeBare(
  { folder }: BenchOptions,
  { events, batch }: { events: string; batch: number },
): Promise<number> {
  const database = folder.next('bare.db');
  const layout = { sorted: true, layout: 'rowid', pageSize: 8192 };
  const { seconds } = await runScript<{ seconds: number }>('baselines/sqlite-bulk.ts', {
    events,
    database,
    batch,
    ...layout,
  });
  for (const ending of ['', '-wal', '-shm']) rmSync(database + ending, { force: true });
  return seconds;
}
