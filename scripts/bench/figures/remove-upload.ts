import { rmSync } from 'node:fs';
import { Catalogue, entriesFrom, writeCatalogueFile } from '../../../test/support/marc-catalogue.ts';
import type { Bench } from '../figure.ts';
import { MOST_MEMORY_MB, restartPeakMemory } from '../support/peak-memory.ts';
import { Tidemark } from '../support/tidemark.ts';
import { readAgain, uploadAndApply } from '../support/upload-and-apply.ts';

const RECORDS = 1_000_000;
const REMOVED = 100_000;

export const removeUpload: Bench = {
  name: 'remove-upload',
  about: 'removing an upload that has 100,000 of 1,000,000 records, half of them new, on SQLite',

  async run({ runs, scale, folder, log }) {
    const [records, removed] = [RECORDS, REMOVED].map((count) => Math.round(count * scale)) as [number, number];
    const half = Math.round(removed / 2);
    const catalogue = new Catalogue({ seed: 1 });
    const write = async (name: string, version: number, from: number, end: number) => {
      const file = folder.next(name);
      const entries = entriesFrom(from, end, version);
      await writeCatalogueFile({ catalogue, format: 'marc21', entries, file });
      return file;
    };
    const first = await write('first.mrc', 0, 0, records - half);
    const second = await write('second.mrc', 1, records - removed, records);
    const seconds: number[] = [];
    const memory: number[] = [];
    for (let run = 1; run <= runs; run++) {
      const tidemark = await Tidemark.create(folder.next('data'));
      await tidemark.run('organizations', 'add', 'lane');
      const server = await tidemark.start();
      try {
        await uploadAndApply(server, first);
        const { number } = await uploadAndApply(server, second);
        restartPeakMemory(server.pid);
        const delivery = await readAgain(server, 'DELETE', `uploads/main/${number}?reason=bench`);
        const { updated, deleted } = delivery;
        const isRight = updated === removed - half && deleted === half;
        if (!isRight) throw new Error(`${updated} were updated and ${deleted} deleted, of ${removed}`);
        seconds.push(delivery.seconds);
        memory.push(server.peakMemory());
        log(`${run}: ${seconds.at(-1)!.toFixed(1)} s, ${memory.at(-1)!.toFixed(0)} MB`);
      } finally {
        await server.stop();
      }
    }
    for (const file of [first, second]) rmSync(file);
    const name = `removing an upload of ${removed.toLocaleString('en')} of ${records.toLocaleString('en')} records`;
    return [
      { name, unit: 's', ours: seconds, limit: { most: 60 } },
      { name: '… peak memory', unit: 'MB', ours: memory, limit: { most: MOST_MEMORY_MB } },
    ];
  },
};
