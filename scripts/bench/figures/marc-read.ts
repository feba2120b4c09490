import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { encodeSample, sampleRecords } from '../../../test/support/marc-records.ts';
import type { Bench, Figure } from '../figure.ts';
import { runChild } from '../support/child.ts';
import { median } from '../support/spread.ts';

const PROBE = join(import.meta.dirname, '../probes/read-marc.ts');
/** So many records are made; the file has them again and again. */
const DIFFERENT = 10_000;

export const marcRead: Bench = {
  name: 'marc-read',
  about: 'reading and checking 1,000,000 MARC21 records of 1.5 kB in UTF-8, whole processes',

  async run({ runs, scale, folder, log }) {
    if (spawnSync('yaz-marcdump', ['-V']).error) throw new Error('the baseline needs yaz: "apt-get install yaz"');
    const count = Math.ceil((1_000_000 * scale) / DIFFERENT) * DIFFERENT;
    const file = folder.next('records.mrc');
    writeRecords(file, count);
    const ours: number[] = [];
    const memory: number[] = [];
    const yaz: number[] = [];
    for (let run = 1; run <= runs; run++) {
      const { stdout, seconds } = await runChild(process.execPath, [PROBE, JSON.stringify({ file })]);
      const read: { readonly count: number; readonly memory: number } = JSON.parse(stdout);
      if (read.count !== count) throw new Error(`${read.count} records were read, not ${count}`);
      ours.push(count / seconds);
      memory.push(read.memory);
      yaz.push(count / (await runChild('yaz-marcdump', ['-n', file])).seconds);
      log(`${run}: ${Math.round(ours.at(-1)!)}/s in ${Math.round(read.memory)} MB; yaz ${Math.round(yaz.at(-1)!)}/s`);
    }
    rmSync(file);
    const number = count.toLocaleString('en');
    const figures: readonly Figure[] = [
      {
        name: `reading and checking ${number} MARC21 records`,
        unit: 'records/s',
        ours,
        baseline: { name: '`yaz-marcdump -n`', values: yaz },
        limit: { least: median(yaz) / 2 },
      },
      { name: '… peak memory', unit: 'MB', ours: memory, limit: { most: 150 } },
    ];
    return figures;
  },
};

function writeRecords(file: string, count: number): void {
  const samples = [...sampleRecords({ seed: 1, count: DIFFERENT })].map((sample) => encodeSample(sample));
  const bytes = Buffer.concat(samples);
  const descriptor = openSync(file, 'w');
  for (let written = 0; written < count; written += DIFFERENT) writeSync(descriptor, bytes);
  closeSync(descriptor);
}
