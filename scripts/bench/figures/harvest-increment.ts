import type { Bench } from '../figure.ts';
import { harvest, withCollection } from '../support/harvested.ts';
import { OaiSource } from '../support/oai-source.ts';
import { median } from '../support/spread.ts';

const LARGE = 1_000_000;
const SMALL = 10_000;
const CHANGED = 10;

export const harvestIncrement: Bench = {
  name: 'harvest-increment',
  about: 'a harvest of 10 changed records into 1,000,000, beside the same into 10,000',

  async run({ runs, scale, folder, log }) {
    const sizes = [LARGE, SMALL].map((records) => Math.round(records * scale));
    const source = await OaiSource.start();
    const seconds: (readonly number[])[] = [];
    try {
      for (const records of sizes) {
        const name = `of-${records}`;
        const tidemark = await withCollection({ folder }, { baseUrl: source.baseUrl({ name, records }) });
        await harvest(tidemark);
        const times: number[] = [];
        for (let run = 1; run <= runs; run++) {
          await source.change(CHANGED, 0, name);
          const { updated, seconds: taken } = await harvest(tidemark);
          if (updated !== CHANGED) throw new Error(`${updated} records were updated, not ${CHANGED}`);
          times.push(taken);
          log(`${run}: ${taken.toFixed(2)} s into ${records} records`);
        }
        seconds.push(times);
      }
    } finally {
      source.stop();
    }
    const [large, small] = seconds as [readonly number[], readonly number[]];
    return [
      {
        name: `harvest of ${CHANGED} records into ${sizes[0]!.toLocaleString('en')}, whole process`,
        unit: 's',
        ours: large,
        baseline: { name: `into ${sizes[1]!.toLocaleString('en')}`, values: small },
        limit: { most: median(small) * 2 },
      },
    ];
  },
};
