import { keyOfRecordId } from '../../../src/core/record-key.ts';
import type { Bench, BenchOptions, Figure } from '../figure.ts';
import { COLLECTION, harvest, withCollection } from '../support/harvested.ts';
import { listRecords, type ReadList } from '../support/list-records.ts';
import type { Prefix } from '../support/oai-records.ts';
import { OaiSource } from '../support/oai-source.ts';
import { MOST_MEMORY_MB, restartPeakMemory } from '../support/peak-memory.ts';
import { processorTime } from '../support/processor-time.ts';
import { median } from '../support/spread.ts';
import type { Server, Tidemark } from '../support/tidemark.ts';
import { walked } from '../support/walked.ts';

const RECORDS = 1_000_000;
/** Of the single resources that are fetched beside the list. */
const WALKED = 50_000;
const CONNECTIONS = 16;
const NATIVE = 'nsdl_dc';

interface Measured {
  /** Records a second. */
  readonly rates: number[];
  readonly micros: number[];
  /** How many times as long the last pages take as the first ones. */
  readonly slowdowns: number[];
  readonly memory: number[];
}

export const oaiList: Bench = {
  name: 'oai-list',
  about: 'ListRecords of 1,000,000 records to its end, in the native format and as oai_dc, beside single resources',

  async run(options) {
    const records = Math.round(RECORDS * options.scale);
    const source = await OaiSource.start();
    try {
      const ordered = await makeSet(options, source.baseUrl({ name: 'ordered', records }));
      const shuffled = await makeSet(options, source.baseUrl({ name: 'shuffled', records, isShuffled: true }));
      return await measureSets(options, { records, ordered, shuffled });
    } finally {
      source.stop();
    }
  },
};

async function makeSet(options: BenchOptions, baseUrl: string): Promise<Tidemark> {
  const tidemark = await withCollection(options, { baseUrl, prefix: NATIVE });
  await harvest(tidemark);
  return tidemark;
}

async function measureSets(
  { runs, log }: BenchOptions,
  sets: { readonly records: number; readonly ordered: Tidemark; readonly shuffled: Tidemark },
): Promise<readonly Figure[]> {
  const { records } = sets;
  const native = noMeasures();
  const shuffled = noMeasures();
  const asOaiDc = noMeasures();
  const single: number[] = [];
  // The first run fills the cache of the file system, and does not count.
  for (let run = 0; run <= runs; run++) {
    const of = { records, isCounted: run > 0 };
    await served(sets.ordered, async (server) => {
      const rate = await rateOfResources(server, records);
      if (of.isCounted) single.push(rate);
      await measure(server, NATIVE, native, of);
      await measure(server, 'oai_dc', asOaiDc, of);
    });
    await served(sets.shuffled, (server) => measure(server, NATIVE, shuffled, of));
    if (!of.isCounted) continue;
    const rates = [native, shuffled, asOaiDc].map(({ rates }) => Math.round(rates.at(-1)!));
    log(
      `${run}: native ${rates[0]}, shuffled ${rates[1]}, as oai_dc ${rates[2]}, single ${Math.round(single.at(-1)!)}`,
    );
  }
  return figures(records, { native, shuffled, asOaiDc, single });
}

async function served(tidemark: Tidemark, work: (server: Server) => Promise<unknown>): Promise<void> {
  const server = await tidemark.start(['serve', '--no-jobs'], { TIDEMARK_ACCESS_LOG: 'false' });
  try {
    await server.client.get('/readyz');
    await work(server);
  } finally {
    await server.stop();
  }
}

async function measure(
  server: Server,
  prefix: Prefix,
  into: Measured,
  { records, isCounted }: { readonly records: number; readonly isCounted: boolean },
): Promise<void> {
  restartPeakMemory(server.pid);
  const before = processorTime(server.pid);
  const list: ReadList = await listRecords(`${server.url}/oai/${COLLECTION}`, prefix);
  if (list.records !== records) throw new Error(`the list has ${list.records} records, not ${records}`);
  if (!isCounted) return;
  into.rates.push(records / list.seconds);
  into.micros.push(((processorTime(server.pid) - before) / records) * 1e6);
  into.slowdowns.push(list.slowdown);
  into.memory.push(server.peakMemory());
}

/** As `distinct-records`: single resources in the order of a Resource List, a second. */
async function rateOfResources(server: Server, records: number): Promise<number> {
  const count = Math.min(WALKED, records);
  const keys = Array.from({ length: count }, (_, number) =>
    keyOfRecordId(`oai:bench.example.org:${String(number).padStart(8, '0')}`),
  );
  const paths = keys.map((key) => `/sets/${COLLECTION}/resources${key}`);
  return (await walked(server, paths, CONNECTIONS)).rate;
}

function noMeasures(): Measured {
  return { rates: [], micros: [], slowdowns: [], memory: [] };
}

function figures(
  records: number,
  { native, shuffled, asOaiDc, single }: Record<'native' | 'shuffled' | 'asOaiDc', Measured> & { single: number[] },
): readonly Figure[] {
  const name = `ListRecords of ${records.toLocaleString('en')} records to the end`;
  const beside = { baseline: { name: 'single resources', values: single }, limit: { least: median(single) } };
  return [
    { name: `${name}, native format`, unit: 'records/s', ours: native.rates, ...beside },
    { name: '… processor time of a record', unit: 'µs', ours: native.micros },
    { name: '… the last pages by the first ones', unit: 'x', ours: native.slowdowns, limit: { most: 1.5 } },
    { name: '… memory', unit: 'MB', ours: native.memory, limit: { most: MOST_MEMORY_MB } },
    { name: `${name}, identifiers shuffled`, unit: 'records/s', ours: shuffled.rates, ...beside },
    { name: '… the last pages by the first ones', unit: 'x', ours: shuffled.slowdowns, limit: { most: 1.5 } },
    {
      name: `${name}, as oai_dc`,
      unit: 'records/s',
      ours: asOaiDc.rates,
      baseline: { name: 'native format', values: native.rates },
      limit: { least: median(native.rates) * 0.5 },
    },
  ];
}
