import type { Bench, Figure } from '../figure.ts';
import { runScript } from '../support/child.ts';
import { MOST_MEMORY_MB } from '../support/peak-memory.ts';
import { runMeasured } from '../support/run-measured.ts';
import { Tidemark } from '../support/tidemark.ts';

const CHANGED = 10_000;

interface Dumped {
  readonly dumps: readonly {
    readonly kind: string;
    readonly totals: { readonly records: number };
    readonly files: readonly File[];
  }[];
}

interface File {
  readonly name: string;
  readonly length: number;
}

export const streamDumps: Bench = {
  name: 'stream-dumps',
  about: 'a full dump of a stream of 1,000,000 records of 1.5 kB, and a delta of 10,000 of them, on SQLite',

  async run({ runs, scale, folder, log }) {
    const records = Math.round(1_000_000 * scale);
    const changed = Math.round(CHANGED * scale);
    const tidemark = await Tidemark.create(folder.next('data'));
    await tidemark.run('organizations', 'add', 'lane');
    await tidemark.run('streams', 'add', 'lane', 'main');
    const apply = async (version: number, count: number) => {
      const options = { dataFolder: tidemark.dataFolder, number: version + 1, version, count, of: records };
      await runScript('probes/apply-uploads.ts', options);
    };
    const dump = async (kind: 'full' | 'delta') => {
      const { stdout, seconds, memory, processorTime } = await runMeasured(tidemark, [
        ...['streams', 'dump', 'lane', '--stream', 'main', `--${kind}`],
      ]);
      const { dumps }: Dumped = JSON.parse(stdout);
      const made = dumps.find((one) => one.kind === kind);
      log(
        `${kind}: ${seconds.toFixed(1)} s, ${processorTime.toFixed(1)} s of processors, ${memory.toFixed(0)} MB; ${(made?.files ?? []).map(({ name, length }) => `${name} ${length}`).join(', ')}`,
      );
      return { made, seconds, memory, processorTime };
    };
    await apply(0, records);

    const full: number[] = [];
    const fullTime: number[] = [];
    const fullMemory: number[] = [];
    const delta: number[] = [];
    const deltaMemory: number[] = [];
    for (let run = 1; run <= runs; run++) {
      const whole = await dump('full');
      requireRecords(whole.made?.totals.records, records);
      full.push(records / whole.seconds);
      fullTime.push(whole.processorTime);
      fullMemory.push(whole.memory);
      await apply(run, changed);
      const part = await dump('delta');
      requireRecords(part.made?.totals.records, changed);
      delta.push(part.seconds);
      deltaMemory.push(part.memory);
    }
    const number = records.toLocaleString('en');
    const figures: readonly Figure[] = [
      {
        name: `full dump of ${number} records, whole process`,
        unit: 'records/s',
        ours: full,
        limit: { least: 20_000 },
      },
      { name: '… processor time', unit: 's', ours: fullTime },
      { name: '… memory', unit: 'MB', ours: fullMemory, limit: { most: MOST_MEMORY_MB } },
      { name: `delta of ${changed} changes, whole process`, unit: 's', ours: delta, limit: { most: 5 } },
      { name: '… memory', unit: 'MB', ours: deltaMemory, limit: { most: MOST_MEMORY_MB } },
    ];
    return figures;
  },
};

function requireRecords(found: number | undefined, expected: number): void {
  if (found !== expected) throw new Error(`the dump has ${found} records, not ${expected}`);
}
