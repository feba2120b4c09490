import { rmSync } from 'node:fs';
import type { Bench } from '../figure.ts';
import { harvest, withCollection } from '../support/harvested.ts';
import { OaiSource } from '../support/oai-source.ts';
import { MOST_MEMORY_MB } from '../support/peak-memory.ts';
import { median } from '../support/spread.ts';

const RECORDS = 1_000_000;
const CHANGED = 1_000;
const GONE = 10;

export const reharvest: Bench = {
  name: 'reharvest',
  about: 'a full harvest of 1,000,000 records of which 1,000 have changed and 10 are missing, beside the first harvest',

  async run({ runs, scale, folder, log }) {
    const records = Math.round(RECORDS * scale);
    const changed = Math.max(1, Math.round(CHANGED * scale));
    const source = await OaiSource.start();
    const first: number[] = [];
    const again: number[] = [];
    const memory: number[] = [];
    try {
      for (let run = 1; run <= runs; run++) {
        // A name of its own, so that nothing is missing in the first harvest.
        const name = `run-${run}`;
        const tidemark = await withCollection({ folder }, { baseUrl: source.baseUrl({ name, records }) });
        first.push((await harvest(tidemark, '--full')).seconds);
        await source.change(changed, GONE, name);
        const { created, updated, deleted, seconds, memory: most } = await harvest(tidemark, '--full');
        const changes = [created, updated, deleted].join();
        if (changes !== [0, changed, GONE].join()) throw new Error(`${changes} records were created, updated, deleted`);
        again.push(seconds);
        memory.push(most);
        rmSync(tidemark.dataFolder, { recursive: true });
        log(`${run}: ${first.at(-1)!.toFixed(1)} s, then ${seconds.toFixed(1)} s, ${most.toFixed(0)} MB`);
      }
    } finally {
      source.stop();
    }
    return [
      {
        name: `full harvest of ${records.toLocaleString('en')} records with ${changed + GONE} changes, whole process`,
        unit: 's',
        ours: again,
        baseline: { name: 'the first harvest', values: first },
        limit: { most: median(first) * 1.2 },
      },
      { name: '… memory', unit: 'MB', ours: memory, limit: { most: MOST_MEMORY_MB } },
    ];
  },
};
