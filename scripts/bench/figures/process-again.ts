import { createWriteStream, rmSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Catalogue } from '../../../test/support/marc-catalogue.ts';
import { encodeSample } from '../../../test/support/marc-records.ts';
import type { Bench } from '../figure.ts';
import { MOST_MEMORY_MB, restartPeakMemory } from '../support/peak-memory.ts';
import { median } from '../support/spread.ts';
import { Tidemark } from '../support/tidemark.ts';
import { readAgain, uploadAndApply } from '../support/upload-and-apply.ts';

const RECORDS = 1_000_000;
/** Of so many records, one has an item. */
const ITEM_OF = 10;

export const processAgain: Bench = {
  name: 'process-again',
  about: '1,000,000 records processed again with a normalization that changes a tenth of them, on SQLite',

  async run({ runs, scale, folder, log }) {
    const records = Math.round(RECORDS * scale);
    const file = folder.next('full.mrc');
    await pipeline(Readable.from(withItems(records)), createWriteStream(file));
    const rates: number[] = [];
    const uploadRates: number[] = [];
    const memory: number[] = [];
    for (let run = 1; run <= runs; run++) {
      const tidemark = await Tidemark.create(folder.next('data'));
      await tidemark.run('organizations', 'add', 'lane', '--normalization', 'pod', '--code', 'LANE');
      const server = await tidemark.start();
      try {
        uploadRates.push(records / (await uploadAndApply(server, file)).seconds);
        const normalization = ['--normalization', 'pod', '--code', 'LANE', '--items', '949:i=p'];
        await tidemark.run('organizations', 'change', 'lane', ...normalization);
        restartPeakMemory(server.pid);
        const again = await readAgain(server, 'POST', 'streams/main/process-again');
        const wanted = Math.ceil(records / ITEM_OF);
        if (again.updated !== wanted) throw new Error(`${again.updated} records have changed, not ${wanted}`);
        rates.push(records / again.seconds);
        memory.push(server.peakMemory());
        const speeds = [uploadRates, rates].map((all) => Math.round(all.at(-1)!)).join(', ');
        log(`${run}: ${speeds} records/s, ${memory.at(-1)!.toFixed(0)} MB`);
      } finally {
        await server.stop();
      }
    }
    rmSync(file);
    const number = records.toLocaleString('en');
    return [
      {
        name: `${number} records processed again, a tenth of which changes`,
        unit: 'records/s',
        ours: rates,
        baseline: { name: 'their upload', values: uploadRates },
        limit: { least: median(uploadRates) },
      },
      { name: '… peak memory', unit: 'MB', ours: memory, limit: { most: MOST_MEMORY_MB } },
    ];
  },
};

function* withItems(records: number): Generator<Buffer> {
  const catalogue = new Catalogue({ seed: 1 });
  for (let number = 0; number < records; number++) {
    if (number % ITEM_OF > 0) yield catalogue.marc21({ number });
    else {
      const { leader, fields } = catalogue.record({ number });
      const item = { tag: '949', indicators: '  ', subfields: [{ code: 'i', value: `${number}` }] };
      yield encodeSample({ leader, fields: [...fields, item] });
    }
  }
}
