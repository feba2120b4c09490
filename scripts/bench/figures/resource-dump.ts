import { rmSync } from 'node:fs';
import type { Bench, BenchOptions, Figure } from '../figure.ts';
import { runChild } from '../support/child.ts';
import { median } from '../support/spread.ts';
import { makeTextFiles } from '../support/text-files.ts';
import { Tidemark } from '../support/tidemark.ts';

/** A way of packing, and how much of the speed of `zip` it must reach. */
interface Way {
  readonly compression: 'none' | 'by-type';
  readonly level: '-0' | '-6';
  readonly share: number;
}

const WAYS: readonly Way[] = [
  { compression: 'none', level: '-0', share: 0.8 },
  { compression: 'by-type', level: '-6', share: 1.2 },
];
const FILES = 20_000;
const FILE_BYTES = 10_000;

export const resourceDump: Bench = {
  name: 'resource-dump',
  about: 'packing 20,000 files of 10 kB into a Resource Dump, beside zip',

  async run(options) {
    const root = options.folder.next('files');
    const files = Math.round(FILES * options.scale);
    makeTextFiles(root, { files, bytes: FILE_BYTES });
    const tidemark = await Tidemark.create(options.folder.next('data'));
    await tidemark.run('sets', 'add', 'files', '--root', root);
    await tidemark.run('scan', 'files');
    const figures: Figure[] = [];
    for (const way of WAYS) figures.push(...(await measure(way, { ...options, root, files, tidemark })));
    rmSync(root, { recursive: true });
    return figures;
  },
};

interface Packing extends BenchOptions {
  readonly root: string;
  readonly files: number;
  readonly tidemark: Tidemark;
}

async function measure(
  { compression, level, share }: Way,
  { root, files, tidemark, runs, folder, log }: Packing,
): Promise<readonly Figure[]> {
  await tidemark.run('sets', 'change', 'files', '--dump-compression', compression);
  const ours: number[] = [];
  const zipped: number[] = [];
  /** The same, until the file is on the disk, as a package is before it has a name. */
  const synced: number[] = [];
  for (let run = 1; run <= runs; run++) {
    const { stdout, seconds } = await tidemark.run('dumps', 'build', 'files');
    const { resources, missing } = JSON.parse(stdout);
    if (resources !== files || missing !== 0) throw new Error(`${resources} of ${files} files were packed: ${stdout}`);
    ours.push(seconds);
    await tidemark.run('dumps', 'remove', 'files');
    const target = `${folder.next('zip')}.zip`;
    zipped.push((await runChild('zip', [level, '-q', '-r', target, root])).seconds);
    synced.push(zipped.at(-1)! + (await runChild('sync', ['-d', target])).seconds);
    rmSync(target);
    log(
      `${compression} ${run}: ${seconds.toFixed(2)} s, zip ${level} ${zipped.at(-1)!.toFixed(2)} s, synced ${synced.at(-1)!.toFixed(2)} s`,
    );
  }
  const name = `Resource Dump of ${files.toLocaleString('en')} files of 10 kB, compression ${compression}, the whole process`;
  return [
    {
      name,
      unit: 's',
      ours,
      baseline: { name: `zip ${level} -r`, values: zipped },
      limit: { most: median(zipped) / share },
    },
    {
      name: `${name}, beside a file that is durable as well`,
      unit: 's',
      ours,
      baseline: { name: `zip ${level} -r, sync -d`, values: synced },
    },
  ];
}
