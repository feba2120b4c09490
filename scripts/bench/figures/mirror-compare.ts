import { rmSync } from 'node:fs';
import type { Bench, BenchOptions, Figure } from '../figure.ts';
import { filledSource, SET } from '../support/filled-source.ts';
import { runMirror } from '../support/mirror-client.ts';
import { makeMirrorState } from '../support/mirror-state.ts';
import { MOST_MEMORY_MB } from '../support/peak-memory.ts';
import type { ClientRun } from '../support/run-client.ts';

export const mirrorCompare: Bench = {
  name: 'mirror-compare',
  about: 'comparing a Resource List of 1,000,000 with an equal copy',

  async run(options) {
    const count = Math.round(1_000_000 * options.scale);
    const tidemark = await filledSource(options, { resources: count });
    const server = await tidemark.start();
    try {
      const copy = options.folder.next('copy');
      makeMirrorState(copy, { set: `${tidemark.baseUrl}/sets/${SET}/capabilitylist.xml`, count });
      const compare = () => compareOnce(copy, `${tidemark.baseUrl}/`, count);
      // Renders every document; comparing is what is measured.
      await compare();
      return await measure(options, compare, count);
    } finally {
      await server.stop();
      rmSync(tidemark.dataFolder, { recursive: true });
    }
  },
};

async function measure(
  { runs, log }: BenchOptions,
  compare: () => Promise<ClientRun>,
  count: number,
): Promise<readonly Figure[]> {
  const measured: ClientRun[] = [];
  for (let run = 1; run <= runs; run++) {
    const one = await compare();
    measured.push(one);
    const [wall, used] = [one.seconds.toFixed(1), one.processor.toFixed(1)];
    log(`${run}: ${wall} s, ${used} s of the processor, ${one.memory.toFixed(0)} MB`);
  }
  const name = `comparing a list of ${count.toLocaleString('en')} with an equal copy`;
  return [
    { name, unit: 's', ours: measured.map(({ seconds }) => seconds), limit: { most: 20 } },
    { name: '… processor time of the client', unit: 's', ours: measured.map(({ processor }) => processor) },
    { name: '… peak memory', unit: 'MB', ours: measured.map(({ memory }) => memory), limit: { most: MOST_MEMORY_MB } },
  ];
}

async function compareOnce(copy: string, url: string, count: number): Promise<ClientRun> {
  const run = await runMirror(url, copy, '--compare');
  const { fetched, adopted, deleted, failed, resources } = run.pass;
  if (fetched + adopted + deleted + failed > 0 || resources !== count) {
    throw new Error(`the copy was not equal: ${JSON.stringify(run.pass)}`);
  }
  return run;
}
