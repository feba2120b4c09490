import { rmSync } from 'node:fs';
import { CODECS } from '../../../src/artifacts/avro/codecs.ts';
import type { Bench, BenchOptions, Figure } from '../figure.ts';
import { type AvroResult, type AvroWork, runFastavro, runOurs } from '../support/avro-work.ts';
import { writeDocuments } from '../support/record-documents.ts';
import { median } from '../support/spread.ts';

/** Bytes of fastavro's blocks; the second is its own choice. */
const BLOCKS = [4_000, 16_000, 64_000, 256_000];

export const avroWrite: Bench = {
  name: 'avro-write',
  about: 'writing 1,000,000 records of 1 kB into an Avro file, with each codec',

  async run(options) {
    const figures: Figure[] = [];
    for (const codec of CODECS) figures.push(...(await measure(options, { codec, mode: 'write' })));
    return figures;
  },
};

export const avroRead: Bench = {
  name: 'avro-read',
  about: 'reading 1,000,000 records of 1 kB from an Avro file, with each codec',

  async run(options) {
    const figures: Figure[] = [];
    for (const codec of CODECS) figures.push(...(await measure(options, { codec, mode: 'read' })));
    return figures;
  },
};

type Kind = Pick<AvroWork, 'mode' | 'codec'>;

async function measure(options: BenchOptions, kind: Kind): Promise<readonly Figure[]> {
  const { runs, scale, folder, log } = options;
  const count = Math.round(1_000_000 * scale);
  const documents = folder.next('documents.ndjson');
  writeDocuments(documents);
  const [file, theirs] = [folder.next('ours.avro'), folder.next('theirs.avro')];
  const work = { ...kind, documents, count };
  const block = await bestBlock(options, work);
  if (kind.mode === 'read') {
    await runOurs({ ...work, mode: 'write', file });
    await runFastavro({ ...work, mode: 'write', file: theirs }, block);
  }
  const ours: AvroResult[] = [];
  const bare: AvroResult[] = [];
  for (let run = 1; run <= runs; run++) {
    ours.push(await runOurs({ ...work, file }));
    bare.push(await runFastavro({ ...work, file: theirs }, block));
    log(`${kind.codec} ${run}: ${toldOf(ours.at(-1)!, count)}; fastavro ${toldOf(bare.at(-1)!, count)}`);
  }
  for (const written of [file, theirs]) rmSync(written);
  return figures(kind, { count, block, ours, bare });
}

/** The size of blocks with which fastavro is fastest, on a tenth of the records. */
async function bestBlock({ folder, log }: BenchOptions, { count, ...work }: Omit<AvroWork, 'file'>): Promise<number> {
  const few = Math.ceil(count / 10);
  const file = folder.next('trial.avro');
  const rates = new Map<number, number>();
  for (const block of BLOCKS) {
    await runFastavro({ ...work, mode: 'write', count: few, file }, block);
    const { seconds } = await runFastavro({ ...work, count: few, file }, block);
    rates.set(block, few / seconds);
    log(`${work.codec}, fastavro with blocks of ${block}: ${Math.round(few / seconds)}/s`);
  }
  rmSync(file);
  return [...rates].sort(([, a], [, b]) => b - a)[0]![0];
}

interface Measured {
  readonly count: number;
  readonly block: number;
  readonly ours: readonly AvroResult[];
  readonly bare: readonly AvroResult[];
}

function figures({ mode, codec }: Kind, { count, block, ours, bare }: Measured): readonly Figure[] {
  const rates = (results: readonly AvroResult[]) => results.map(({ seconds }) => count / seconds);
  const number = count.toLocaleString('en');
  const doing = mode === 'write' ? 'writing' : 'reading';
  return [
    {
      name: `${doing} ${number} records of 1 kB, codec ${codec}`,
      unit: 'records/s',
      ours: rates(ours),
      baseline: { name: `fastavro, blocks of ${block.toLocaleString('en')}`, values: rates(bare) },
      limit: { least: median(rates(bare)) },
    },
    {
      name: `… peak memory, codec ${codec}`,
      unit: 'MB',
      ours: ours.map(({ memory }) => memory),
      baseline: { name: 'fastavro', values: bare.map(({ memory }) => memory) },
      limit: { most: 300 },
    },
    {
      name: `… size of the file, codec ${codec}`,
      unit: 'MB',
      ours: ours.map(({ length }) => length / 1e6),
      baseline: { name: 'fastavro', values: bare.map(({ length }) => length / 1e6) },
    },
  ];
}

function toldOf({ seconds, length, memory }: AvroResult, count: number): string {
  return `${Math.round(count / seconds)}/s in ${Math.round(memory)} MB, a file of ${Math.round(length / 1e6)} MB`;
}
