import { rmSync } from 'node:fs';
import { Catalogue, entriesFrom, writeCatalogueFile } from '../../../test/support/marc-catalogue.ts';
import type { Bench, BenchOptions, Figure } from '../figure.ts';
import { onElasticsearch } from '../support/elasticsearch.ts';
import { MOST_MEMORY_MB } from '../support/peak-memory.ts';
import { processorTime } from '../support/processor-time.ts';
import { Tidemark } from '../support/tidemark.ts';
import { uploadAndApply } from '../support/upload-and-apply.ts';

export const ingest: Bench = {
  name: 'ingest',
  about: '1,000,000 MARC21 records of 1.5 kB from the upload until each is published, on SQLite',

  run: (options) =>
    measure(options, { records: 1_000_000, store: 'SQLite', limits: true }, (folder) => Tidemark.create(folder)),
};

export const elasticsearchIngest: Bench = {
  name: 'es-ingest',
  about: '200,000 MARC21 records of 1.5 kB from the upload until each is published, on Elasticsearch',

  run: (options) =>
    onElasticsearch(options, async (server) => {
      const prefixes: string[] = [];
      const figures = await measure(options, { records: 200_000, store: 'Elasticsearch', limits: false }, async () => {
        prefixes.push(server.nextPrefix());
        return server.tidemark(prefixes.at(-1)!);
      });
      for (const prefix of prefixes) await server.remove(prefix);
      return figures;
    }),
};

interface Size {
  readonly records: number;
  readonly store: string;
  readonly limits: boolean;
}

async function measure(
  { runs, scale, folder, log }: BenchOptions,
  { records, store, limits }: Size,
  create: (dataFolder: string) => Promise<Tidemark>,
): Promise<readonly Figure[]> {
  const count = Math.round(records * scale);
  const file = folder.next('full.mrc');
  await writeCatalogueFile({
    catalogue: new Catalogue({ seed: 1 }),
    format: 'marc21',
    entries: entriesFrom(0, count),
    file,
  });
  const first: number[] = [];
  const again: number[] = [];
  const memory: number[] = [];
  const bothMemory: number[] = [];
  for (let run = 1; run <= runs; run++) {
    const tidemark = await create(folder.next('data'));
    await tidemark.run('organizations', 'add', 'lane');
    await tidemark.run('streams', 'add', 'lane', 'main');
    const server = await tidemark.start();
    try {
      const before = processorTime(server.pid);
      const created = await uploadAndApply(server, file);
      if (created.created !== count) throw new Error(`of ${count} records ${created.created} were created`);
      const used = processorTime(server.pid) - before;
      memory.push(server.peakMemory());
      const unchanged = await uploadAndApply(server, file);
      if (unchanged.unchanged !== count) throw new Error(`of ${count} records ${unchanged.unchanged} are unchanged`);
      first.push(count / created.seconds);
      again.push(count / unchanged.seconds);
      bothMemory.push(server.peakMemory());
      const speeds = `${Math.round(first.at(-1)!)}, ${Math.round(again.at(-1)!)} records/s`;
      log(
        `${run}: ${speeds}, ${((used / count) * 1e6).toFixed(1)} µs of the processor a record, ` +
          `${memory.at(-1)!.toFixed(0)}, ${bothMemory.at(-1)!.toFixed(0)} MB`,
      );
    } finally {
      await server.stop();
    }
  }
  rmSync(file);
  const number = count.toLocaleString('en');
  return [
    {
      name: `${number} new MARC21 records from the upload to their events, ${store}`,
      unit: 'records/s',
      ours: first,
      ...(limits && { limit: { least: 15_000 } }),
    },
    { name: '… memory', unit: 'MB', ours: memory, ...(limits && { limit: { most: MOST_MEMORY_MB } }) },
    { name: '… the same file again, which changes nothing', unit: 'records/s', ours: again },
    { name: '… memory, of both', unit: 'MB', ours: bothMemory },
  ];
}
