import { once } from 'node:events';
import { createWriteStream, readFileSync, rmSync } from 'node:fs';
import type { Bench, BenchOptions, Figure } from '../figure.ts';
import { MOST_MEMORY_MB } from '../support/peak-memory.ts';
import { writeDocuments } from '../support/record-documents.ts';
import { runMeasured } from '../support/run-measured.ts';
import { Tidemark } from '../support/tidemark.ts';

const LINES_PER_WRITE = 2_000;

export const activityHarvest: Bench = {
  name: 'activity-harvest',
  about: 'a harvest of 1,000,000 records of 1 kB by the command line, from a file of NDJSON into a folder',

  async run(options) {
    const { runs, scale, folder, log } = options;
    const count = Math.round(1_000_000 * scale);
    const records = folder.next('records.ndjson');
    await writeRecords(options, records, count);
    const speeds: number[] = [];
    const memory: number[] = [];
    for (let run = 1; run <= runs; run++) {
      const tidemark = await Tidemark.create(folder.next('data'));
      const harvest = await runMeasured(tidemark, ['activity', 'run', 'harvest', 'cdl', '--from', records]);
      const { written, failed } = JSON.parse(harvest.stdout);
      if (written !== count || failed !== 0) throw new Error(`${written} of ${count} records were written`);
      speeds.push(count / harvest.seconds);
      memory.push(harvest.memory);
      log(`${run}: ${Math.round(speeds.at(-1)!)} records/s, ${Math.round(harvest.memory)} MB`);
      rmSync(tidemark.dataFolder, { recursive: true });
    }
    rmSync(records);
    return figuresOf(count, speeds, memory);
  },
};

function figuresOf(count: number, speeds: readonly number[], memory: readonly number[]): readonly Figure[] {
  return [
    { name: `harvesting ${count.toLocaleString('en')} records by the command line`, unit: 'records/s', ours: speeds },
    { name: '… peak memory', unit: 'MB', ours: memory, limit: { most: MOST_MEMORY_MB } },
  ];
}

async function writeRecords({ folder }: BenchOptions, file: string, count: number): Promise<void> {
  const documents = folder.next('documents.ndjson');
  writeDocuments(documents);
  const texts = readFileSync(documents, 'utf8').trimEnd().split('\n');
  const output = createWriteStream(file);
  let lines = '';
  for (let number = 0; number < count; number++) {
    const id = `oai:repository.example.org:${String(number).padStart(9, '0')}`;
    lines += `{"id":"${id}","document":${texts[number % texts.length]},"mimetype":"application/xml"}\n`;
    if (number % LINES_PER_WRITE !== 0) continue;
    if (!output.write(lines)) await once(output, 'drain');
    lines = '';
  }
  output.end(lines);
  await once(output, 'close');
}
