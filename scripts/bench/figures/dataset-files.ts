import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../../../test/support/free-port.ts';
import type { Bench, BenchOptions, Figure } from '../figure.ts';
import { runChild } from '../support/child.ts';
import { Nginx } from '../support/nginx.ts';
import { MOST_MEMORY_MB } from '../support/peak-memory.ts';
import { median } from '../support/spread.ts';

const PROBE = join(import.meta.dirname, '../probes/archive-files.ts');
const SUMS = ['md5sum', 'sha1sum', 'sha256sum'];

interface Files {
  readonly title: string;
  readonly count: number;
  /** Bytes of each. */
  readonly size: number;
  /** Of the rate of the baseline. */
  readonly least: number;
}

export const datasetFiles: Bench = {
  name: 'dataset-files',
  about:
    'storing the files of a dataset with three hashes, durably, four at a time, beside `aria2c -j4` and then md5sum, sha1sum and sha256sum (needs nginx-light and aria2)',

  async run(options) {
    if (spawnSync('aria2c', ['-v']).error) throw new Error('the baseline needs aria2: "apt-get install aria2"');
    const root = options.folder.next('files');
    const nginx = new Nginx(options.folder.next('nginx'), await findFreePort());
    mkdirSync(root);
    await nginx.startOn(root);
    try {
      const large = { title: 'of 40 MB', count: Math.ceil(12 * options.scale), size: 40_000_000, least: 0.8 };
      const small = { title: 'of 20 kB', count: Math.ceil(400 * options.scale), size: 20_000, least: 0.7 };
      return [...(await storing(options, { nginx, root }, large)), ...(await storing(options, { nginx, root }, small))];
    } finally {
      await nginx.stop();
    }
  },
};

async function storing(
  { folder, runs, log }: BenchOptions,
  { nginx, root }: { readonly nginx: Nginx; readonly root: string },
  { title, count, size, least }: Files,
): Promise<readonly Figure[]> {
  const names = Array.from({ length: count }, (_, at) => `${size}-${at}.bin`);
  for (const name of names) writeFileSync(join(root, name), randomBytes(size));
  const urls = names.map((name) => `${nginx.url}/${name}`);
  const [ours, theirs, memory] = [[] as number[], [] as number[], [] as number[]];
  const megabytes = (count * size) / 1_000_000;
  for (let run = 1; run <= runs; run++) {
    const stored = await archive(urls, size, folder.next('artifacts'));
    ours.push(megabytes / stored.seconds);
    memory.push(stored.memory);
    theirs.push(megabytes / (await fetchAndSum(urls, names, folder.next('aria2'))));
    log(
      `${run}, ${title}: ${ours.at(-1)!.toFixed(0)} MB/s in ${stored.memory.toFixed(0)} MB; aria2c ${theirs.at(-1)!.toFixed(0)} MB/s`,
    );
  }
  return [
    {
      name: `storing ${count} files ${title} of a dataset, with three hashes`,
      unit: 'MB/s',
      ours,
      baseline: { name: 'aria2c, then three programs for hashes', values: theirs },
      limit: { least: median(theirs) * least },
    },
    { name: '… peak memory', unit: 'MB', ours: memory, limit: { most: MOST_MEMORY_MB } },
  ];
}

async function archive(urls: readonly string[], size: number, folder: string) {
  mkdirSync(folder);
  const { stdout } = await runChild(process.execPath, [PROBE, JSON.stringify({ urls, size, folder })]);
  rmSync(folder, { recursive: true });
  return JSON.parse(stdout) as { readonly seconds: number; readonly memory: number };
}

/** Returns the seconds. */
async function fetchAndSum(urls: readonly string[], names: readonly string[], folder: string): Promise<number> {
  mkdirSync(folder);
  const list = join(folder, 'urls');
  writeFileSync(list, urls.join('\n'));
  let { seconds } = await runChild('aria2c', ['-q', '-j4', '-x1', '--file-allocation=none', '-i', list, '-d', folder]);
  const files = names.map((name) => join(folder, name));
  for (const sum of SUMS) seconds += (await runChild(sum, files)).seconds;
  rmSync(folder, { recursive: true });
  return seconds;
}
