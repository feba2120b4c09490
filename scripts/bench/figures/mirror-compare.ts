import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { MirrorState, STATE_FILE } from '../../../src/client/mirror/state/mirror-state.ts';
import type { Bench, BenchOptions, Figure } from '../figure.ts';
import { eventLine } from '../support/events.ts';
import { filledSource, SET } from '../support/filled-source.ts';
import { runMirror } from '../support/mirror-client.ts';
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
      makeState(copy, `${tidemark.baseUrl}/sets/${SET}/capabilitylist.xml`, count);
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

/** What a mirror would have recorded of the resources. It compares lists with it, and reads no files. */
function makeState(folder: string, set: string, count: number): void {
  mkdirSync(folder);
  const prefix = `https://repository.example.org/${SET}/`;
  const state = new MirrorState(join(folder, STATE_FILE));
  state.setFact('url', new URL('/', set).href);
  state.setFact('set', set);
  state.setFact('prefix', `${prefix}records/`);
  for (let number = 0; number < count; number++) {
    const { location, length, hash, lastmod } = JSON.parse(eventLine(number));
    const { id } = state.name(prefix + location.value);
    state.setCopied(id, { length, hash, lastmod, stamp: undefined }, undefined);
  }
  state.commit();
  state.close();
}
