import { rmSync } from 'node:fs';
import { Catalogue, entriesFrom, writeCatalogueFile } from '../../../test/support/marc-catalogue.ts';
import type { Bench, BenchOptions, Figure } from '../figure.ts';
import { harvest as harvestNow, secondsOfReceiving, withCollection } from '../support/harvested.ts';
import { OaiSource, readBySickle } from '../support/oai-source.ts';
import { MOST_MEMORY_MB } from '../support/peak-memory.ts';
import { median } from '../support/spread.ts';
import { Tidemark } from '../support/tidemark.ts';
import { uploadAndApply } from '../support/upload-and-apply.ts';

const RECORDS = 1_000_000;
const PREFIX = 'oai_dc';

/** Records a second, of each run. */
interface Rates {
  readonly published: number[];
  readonly received: number[];
  readonly sickle: number[];
  readonly marc: number[];
  readonly memory: number[];
  /** Microseconds of the processors for a record. */
  readonly micros: number[];
}

export const harvest: Bench = {
  name: 'harvest',
  about:
    '1,000,000 oai_dc records of 1.3 kB from an OAI-PMH repository until each is published, beside Sickle that only reads, and as many MARC21 records of an upload',

  async run(options) {
    const records = Math.round(RECORDS * options.scale);
    const file = options.folder.next('full.mrc');
    const entries = entriesFrom(0, records);
    await writeCatalogueFile({ catalogue: new Catalogue({ seed: 1 }), format: 'marc21', entries, file });
    const rates: Rates = { published: [], received: [], sickle: [], marc: [], memory: [], micros: [] };
    const source = await OaiSource.start();
    try {
      for (let run = 1; run <= options.runs; run++) {
        await measure(options, { source, records, rates });
        rates.marc.push(records / (await secondsOfUpload(options, file)));
        const last = Object.entries(rates).map(([name, values]) => `${name} ${Math.round(values.at(-1)!)}`);
        options.log(`${run}: ${last.join(', ')}`);
      }
    } finally {
      source.stop();
      rmSync(file);
    }
    return figures(records, rates);
  },
};

async function measure(
  { folder }: BenchOptions,
  { source, records, rates }: { readonly source: OaiSource; readonly records: number; readonly rates: Rates },
): Promise<void> {
  const baseUrl = source.baseUrl({ records });
  rates.sickle.push(records / (await readBySickle(baseUrl, PREFIX, records)));
  const tidemark = await withCollection({ folder }, { baseUrl, prefix: PREFIX });
  const { number, created, seconds, memory, processorTime } = await harvestNow(tidemark);
  if (created !== records) throw new Error(`of ${records} records ${created} were created`);
  rates.published.push(records / seconds);
  rates.received.push(records / (await secondsOfReceiving(tidemark, number)));
  rates.memory.push(memory);
  rates.micros.push((processorTime / records) * 1e6);
  rmSync(tidemark.dataFolder, { recursive: true });
}

async function secondsOfUpload({ folder }: BenchOptions, file: string): Promise<number> {
  const tidemark = await Tidemark.create(folder.next('data'));
  await tidemark.run('organizations', 'add', 'lane');
  await tidemark.run('streams', 'add', 'lane', 'main');
  const server = await tidemark.start();
  const { seconds } = await uploadAndApply(server, file).finally(() => server.stop());
  rmSync(tidemark.dataFolder, { recursive: true });
  return seconds;
}

function figures(records: number, { published, received, sickle, marc, memory, micros }: Rates): readonly Figure[] {
  const reading = { name: 'Sickle, reading alone', values: sickle };
  return [
    {
      name: `${records.toLocaleString('en')} harvested records until each is published, whole process`,
      unit: 'records/s',
      ours: published,
      baseline: reading,
      limit: { least: median(sickle) * 1.5 },
    },
    {
      name: '… beside an upload of MARC21 records',
      unit: 'records/s',
      ours: published,
      baseline: { name: 'upload', values: marc },
      limit: { least: median(marc) * 0.6 },
    },
    {
      name: '… received and durable',
      unit: 'records/s',
      ours: received,
      baseline: reading,
      limit: { least: median(sickle) * 3 },
    },
    { name: '… processor time of a record', unit: 'µs', ours: micros },
    { name: '… memory', unit: 'MB', ours: memory, limit: { most: MOST_MEMORY_MB } },
  ];
}
