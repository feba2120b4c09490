import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Catalogue, entriesFrom, writeCatalogueFile } from '../../../test/support/marc-catalogue.ts';
import { encodeSample, sampleRecords } from '../../../test/support/marc-records.ts';
import type { Bench, BenchOptions, Figure } from '../figure.ts';
import { runChild } from '../support/child.ts';
import { median } from '../support/spread.ts';

const PROBE = join(import.meta.dirname, '../probes/read-marc.ts');
/** So many records of MARC21 are made; the file has them again and again. */
const DIFFERENT = 10_000;

interface Input {
  readonly file: string;
  readonly count: number;
  readonly format: 'marc21' | 'marcxml';
  /** Beside the baseline. */
  readonly least?: number;
  /** MB. */
  readonly mostMemory?: number;
}

export const marcRead: Bench = {
  name: 'marc-read',
  about: 'reading and checking 1,000,000 MARC21 records of 1.5 kB in UTF-8, and 100,000 as MARCXML; whole processes',

  async run(options) {
    if (spawnSync('yaz-marcdump', ['-V']).error) throw new Error('the baseline needs yaz: "apt-get install yaz"');
    const { scale, folder } = options;
    const marc21 = Math.ceil((1_000_000 * scale) / DIFFERENT) * DIFFERENT;
    const marcXml = Math.ceil(100_000 * scale);
    return [
      ...(await reading(options, writeMarc21(folder.next('records.mrc'), marc21))),
      ...(await reading(options, await writeMarcXml(folder.next('records.xml'), marcXml))),
    ];
  },
};

async function reading({ runs, log }: BenchOptions, input: Input): Promise<readonly Figure[]> {
  const { file, count, format, least, mostMemory } = input;
  const ours: number[] = [];
  const memory: number[] = [];
  const yaz: number[] = [];
  for (let run = 1; run <= runs; run++) {
    const { stdout, seconds } = await runChild(process.execPath, [PROBE, JSON.stringify({ file, format })]);
    const read: { readonly count: number; readonly memory: number } = JSON.parse(stdout);
    if (read.count !== count) throw new Error(`${read.count} records were read, not ${count}`);
    ours.push(count / seconds);
    memory.push(read.memory);
    const flags = ['-i', format === 'marc21' ? 'marc' : 'marcxml', '-n'];
    yaz.push(count / (await runChild('yaz-marcdump', [...flags, file])).seconds);
    log(
      `${run}, ${format}: ${Math.round(ours.at(-1)!)}/s in ${Math.round(read.memory)} MB; yaz ${Math.round(yaz.at(-1)!)}/s`,
    );
  }
  rmSync(file);
  return [
    {
      name: `reading and checking ${count.toLocaleString('en')} records, ${format}`,
      unit: 'records/s',
      ours,
      baseline: { name: `\`yaz-marcdump ${format === 'marc21' ? '' : '-i marcxml '}-n\``, values: yaz },
      ...(least && { limit: { least: median(yaz) * least } }),
    },
    { name: '… peak memory', unit: 'MB', ours: memory, ...(mostMemory && { limit: { most: mostMemory } }) },
  ];
}

function writeMarc21(file: string, count: number): Input {
  const samples = [...sampleRecords({ seed: 1, count: DIFFERENT })].map((sample) => encodeSample(sample));
  const bytes = Buffer.concat(samples);
  const descriptor = openSync(file, 'w');
  for (let written = 0; written < count; written += DIFFERENT) writeSync(descriptor, bytes);
  closeSync(descriptor);
  return { file, count, format: 'marc21', least: 0.5, mostMemory: 150 };
}

async function writeMarcXml(file: string, count: number): Promise<Input> {
  const catalogue = new Catalogue({ seed: 1 });
  await writeCatalogueFile({ catalogue, format: 'marcxml', entries: entriesFrom(0, count), file });
  return { file, count, format: 'marcxml' };
}
