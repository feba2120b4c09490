import { rmSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Bench, BenchOptions, Figure } from '../figure.ts';
import { partsOf, Reader } from '../support/documents.ts';
import { filledSource, postMore, SET } from '../support/filled-source.ts';
import { changeAndRead, STEPS, type Times } from '../support/one-change.ts';
import { median } from '../support/spread.ts';
import type { Server, Tidemark } from '../support/tidemark.ts';

const CHANGES = 20;
/** How many changes the open window holds before, in both sets; it holds 50,000 at most. */
const WINDOWS = [10_000, 49_000];

export const oneChange: Bench = {
  name: 'one-change',
  about: 'one change in a set of 1,000,000, seen in both lists',

  async run(options) {
    const sizes = [10_000, Math.round(1_000_000 * options.scale)] as const;
    const sets = [await prepare(options, sizes[0]), await prepare(options, sizes[1])] as const;
    const figures: Figure[] = [];
    for (const window of WINDOWS) {
      const small = await measure(options, { tidemark: sets[0], resources: sizes[0], window });
      const large = await measure(options, { tidemark: sets[1], resources: sizes[1], window });
      const name = `one change among ${sizes[1].toLocaleString('en')}, open window of ${window.toLocaleString('en')}`;
      const baseline = { name: 'the same among 10,000', values: small };
      const most = Math.min(1000, median(small) * 1.5);
      figures.push({ name, unit: 'ms', ours: large, baseline, limit: { most } });
    }
    for (const { dataFolder } of sets) rmSync(dataFolder, { recursive: true });
    return figures;
  },
};

/**
 * A source whose pages were made, and whose last window was filled to its end, so that the next change opens another
 * one.
 */
async function prepare(options: BenchOptions, resources: number): Promise<Tidemark> {
  const tidemark = await filledSource(options, { resources });
  const server = await tidemark.start();
  const rest = (50_000 - (resources % 50_000)) % 50_000;
  for (let posted = 0; posted < rest; posted += 10_000) {
    await postMore(server, { ...options, count: 10_000, revision: 1 + posted / 10_000 });
  }
  await new Reader(server.client).read(`/sets/${SET}/resourcelist.xml`);
  await server.stop();
  return tidemark;
}

async function measure(
  { runs, log, folder }: BenchOptions,
  { tidemark, resources, window }: { tidemark: Tidemark; resources: number; window: number },
): Promise<number[]> {
  const server = await tidemark.start();
  try {
    await fillWindow(server, { folder, upTo: window });
    const reader = new Reader(server.client);
    await readAll(reader);
    const totals: number[] = [];
    for (let run = 1; run <= runs; run++) {
      const all: Times[] = [];
      for (let change = 0; change < CHANGES; change++) {
        await wait(100);
        const number = Math.floor((change / CHANGES) * resources);
        all.push(await changeAndRead(server, reader, { number, revision: 1000 + window + run }));
      }
      totals.push(median(all.map(({ post, index, page, changes }) => post + index + page + changes)));
      const steps = STEPS.map((step) => `${step} ${median(all.map((times) => times[step])).toFixed(0)}`).join(', ');
      log(`${resources} resources, window ${window}, ${run}: ${totals.at(-1)!.toFixed(0)} ms (${steps})`);
    }
    return totals;
  } finally {
    await server.stop();
  }
}

/** Posts until the open window holds so many changes. */
async function fillWindow(
  server: Server,
  { folder, upTo }: { readonly folder: BenchOptions['folder']; readonly upTo: number },
): Promise<void> {
  for (let revision = 100; ; revision++) {
    const changes = (await new Reader(server.client).readOpenChanges(SET)).split('<url>').length - 1;
    const missing = changes === 50_000 ? upTo : upTo - changes;
    if (missing <= 0) return;
    await postMore(server, { folder, count: Math.min(missing, 10_000), revision: revision + upTo });
  }
}

async function readAll(reader: Reader): Promise<void> {
  for (const { path } of partsOf(await reader.read(`/sets/${SET}/resourcelist.xml`))) await reader.read(path);
  await reader.readOpenChanges(SET);
}
