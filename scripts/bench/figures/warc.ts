import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../figure.ts';
import { runChild } from '../support/child.ts';
import { median } from '../support/spread.ts';

const SCRIPTS = join(import.meta.dirname, '..');
const PYTHON = join(SCRIPTS, '../../.services/web-archives/bin/python3');
const COUNT = 3;
/** Bytes of each file. */
const SIZE = 100_000_000;

export const warc: Bench = {
  name: 'warc',
  about: '300 MB of hashed files into a WARC, durably, beside warcio, which hashes them (needs the folder of .ci/run)',

  async run({ folder, runs, scale, log }) {
    if (!existsSync(PYTHON)) throw new Error('the baseline needs warcio in .services/web-archives, as .ci/run gets it');
    const size = Math.ceil(SIZE * scale);
    const root = folder.next('files');
    mkdirSync(root);
    const files = Array.from({ length: COUNT }, (_, at) => join(root, `${at}.bin`));
    for (const file of files) writeFileSync(file, randomBytes(size));
    const [ours, theirs] = [[] as number[], [] as number[]];
    const megabytes = (COUNT * size) / 1_000_000;
    for (let run = 1; run <= runs; run++) {
      ours.push(
        megabytes /
          (await secondsOf(process.execPath, 'probes/write-warc.ts', {
            count: COUNT,
            size,
            folder: folder.next('artifacts'),
          })),
      );
      const written = folder.next('theirs.warc');
      theirs.push(megabytes / (await secondsOf(PYTHON, 'baselines/warcio_write.py', { warc: written, files })));
      rmSync(written);
      log(`${run}: ${ours.at(-1)!.toFixed(0)} MB/s; warcio ${theirs.at(-1)!.toFixed(0)} MB/s`);
    }
    return [
      {
        name: `${megabytes} MB of hashed files into a WARC`,
        unit: 'MB/s',
        ours,
        baseline: { name: 'warcio, which hashes them', values: theirs },
        limit: { least: median(theirs) * 3 },
      },
    ];
  },
};

async function secondsOf(
  program: string,
  script: string,
  work: Readonly<Record<string, unknown>> & { readonly folder?: string },
): Promise<number> {
  if (work.folder !== undefined) mkdirSync(work.folder);
  const { stdout } = await runChild(program, [join(SCRIPTS, script), JSON.stringify(work)]);
  if (work.folder !== undefined) rmSync(work.folder, { recursive: true });
  return JSON.parse(stdout).seconds;
}
