import { rmSync } from 'node:fs';
import type { Bench, BenchOptions } from '../figure.ts';
import { runMeasured } from '../support/run-measured.ts';
import { median } from '../support/spread.ts';
import { makeTextFiles } from '../support/text-files.ts';
import { Tidemark } from '../support/tidemark.ts';

const FILES = 20_000;
const FILE_BYTES = 10_000;
/** How many times as long a scan may take that keeps versions. */
const MOST = 1.5;

export const keepVersions: Bench = {
  name: 'keep-versions',
  about: 'the first scan of 20,000 files of 10 kB with kept versions, beside one without',

  async run(options) {
    const { folder, runs, scale, log } = options;
    const root = folder.next('files');
    const files = Math.round(FILES * scale);
    makeTextFiles(root, { files, bytes: FILE_BYTES });
    const kept: Scanned[] = [];
    const plain: Scanned[] = [];
    for (let run = 1; run <= runs; run++) {
      plain.push(await scan(options, { root, files, flags: [] }));
      kept.push(await scan(options, { root, files, flags: ['--keep-versions'] }));
      log(`${run}: ${describe(kept.at(-1)!)}, without ${describe(plain.at(-1)!)}`);
    }
    rmSync(root, { recursive: true });
    const values = plain.map(({ seconds }) => seconds);
    return [
      {
        name: `the first scan of ${files.toLocaleString('en')} files of 10 kB that keeps versions, the whole process`,
        unit: 's',
        ours: kept.map(({ seconds }) => seconds),
        baseline: { name: 'without kept versions', values },
        limit: { most: MOST * median(values) },
      },
      {
        name: '… processor time',
        unit: 's',
        ours: kept.map(({ processorTime }) => processorTime),
        baseline: { name: 'without kept versions', values: plain.map(({ processorTime }) => processorTime) },
      },
    ];
  },
};

interface Scanned {
  readonly seconds: number;
  readonly processorTime: number;
}

/**
 * Scans with a data folder of its own, which stays until the end: on ext4, making files soon after many were removed
 * took several times as much of the processor.
 */
async function scan(
  { folder }: BenchOptions,
  { root, files, flags }: { readonly root: string; readonly files: number; readonly flags: readonly string[] },
): Promise<Scanned> {
  const tidemark = await Tidemark.create(folder.next('data'));
  await tidemark.run('sets', 'add', 'files', '--root', root, ...flags);
  const scanned = await runMeasured(tidemark, ['scan', 'files']);
  const { created } = JSON.parse(scanned.stdout);
  if (created !== files) throw new Error(`${created} of ${files} files were new: ${scanned.stdout}`);
  return scanned;
}

function describe({ seconds, processorTime }: Scanned): string {
  return `${seconds.toFixed(2)} s (${processorTime.toFixed(2)} s of the processor)`;
}
