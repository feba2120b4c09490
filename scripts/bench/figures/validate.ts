import { rmSync } from 'node:fs';
import type { Bench, BenchOptions, Figure } from '../figure.ts';
import { runChild } from '../support/child.ts';
import { partsOf } from '../support/documents.ts';
import { filledSource, SET } from '../support/filled-source.ts';
import { MOST_MEMORY_MB } from '../support/peak-memory.ts';
import { resyncPython } from '../support/resync.ts';
import { runMeasured } from '../support/run-measured.ts';
import { secondsSince } from '../support/spread.ts';
import type { Server, Tidemark } from '../support/tidemark.ts';

export const validate: Bench = {
  name: 'validate',
  about: 'validating a source of 1,000,000 resources, with all of its lists, without fetching the resources',

  async run(options) {
    const count = Math.round(1_000_000 * options.scale);
    const tidemark = await filledSource(options, { resources: count });
    const server = await tidemark.start();
    try {
      // Renders every document; validating is what is measured.
      await validateOnce(tidemark, server, count);
      const figures = await measure(options, { tidemark, server, count });
      return figures;
    } finally {
      await server.stop();
      rmSync(tidemark.dataFolder, { recursive: true });
    }
  },
};

interface Filled {
  readonly tidemark: Tidemark;
  readonly server: Server;
  readonly count: number;
}

async function measure({ runs, log }: BenchOptions, { tidemark, server, count }: Filled): Promise<readonly Figure[]> {
  const seconds: number[] = [];
  const memory: number[] = [];
  const processor: number[] = [];
  // It takes many times as long, and always the same.
  const python = await readWithResync(server);
  log(`resync: ${python.toFixed(1)} s`);
  for (let run = 1; run <= runs; run++) {
    const start = performance.now();
    const finished = await validateOnce(tidemark, server, count);
    seconds.push(secondsSince(start));
    memory.push(finished.memory);
    processor.push(finished.processorTime);
    const [wall, used] = [seconds, processor].map((values) => values.at(-1)!.toFixed(1));
    log(`${run}: ${wall} s, ${used} s of the processor, ${memory.at(-1)!.toFixed(0)} MB`);
  }
  const name = `validating a source of ${count.toLocaleString('en')} resources and as many changes`;
  const baseline = { name: 'Python resync, which parses the same lists (from a tenth of them)', values: [python] };
  return [
    { name, unit: 's', ours: seconds, baseline, limit: { most: 60 } },
    { name: '… processor time', unit: 's', ours: processor },
    { name: '… peak memory', unit: 'MB', ours: memory, limit: { most: MOST_MEMORY_MB } },
  ];
}

async function validateOnce(tidemark: Tidemark, { url }: Server, count: number) {
  const finished = await runMeasured(tidemark, ['validate', `${url}/`, '--sample', '0'], { codes: [0, 1] });
  const { entries, incomplete, broken } = JSON.parse(finished.stdout);
  const musts = broken.filter(({ level }: { readonly level: string }) => level === 'MUST');
  if (entries < 2 * count || incomplete.length > 0 || musts.length > 0) {
    throw new Error(`${entries} entries were validated: ${JSON.stringify({ incomplete, musts })}`);
  }
  return finished;
}

/** Seconds. It cannot read an index of Change Lists, so it is given lists: every tenth one. */
async function readWithResync({ url, client }: Server): Promise<number> {
  const parts = async (list: string) =>
    partsOf(await client.text(`/sets/${SET}/${list}.xml`)).map(({ path }) => new URL(path, url).href);
  const all = { resources: await parts('resourcelist'), changes: await parts('changelist') };
  const tenth = (uris: readonly string[]) => uris.filter((_, at) => at % 10 === 0);
  const given = { resources: tenth(all.resources), changes: tenth(all.changes) };
  const share = (given.resources.length + given.changes.length) / (all.resources.length + all.changes.length);
  const script = new URL('../baselines/resync_read.py', import.meta.url).pathname;
  const { stdout } = await runChild(resyncPython(), [script, JSON.stringify(given)]);
  return JSON.parse(stdout).seconds / share;
}
