import { rmSync } from 'node:fs';
import type { Bench } from '../figure.ts';
import { runChild } from '../support/child.ts';
import { makeFileTree } from '../support/file-tree.ts';
import { median } from '../support/spread.ts';
import { Tidemark } from '../support/tidemark.ts';

export const scan: Bench = {
  name: 'scan',
  about: 'scanning 100,000 unchanged small files in 5,000 folders',

  async run({ runs, scale, folder, log }) {
    const root = folder.next('files');
    const files = Math.round(5_000 * scale) * 20;
    makeFileTree(root, files / 20);
    const tidemark = await Tidemark.create(folder.next('data'));
    await tidemark.run('sets', 'add', 'files', '--root', root);
    const first = await tidemark.run('scan', 'files');
    log(`first scan, with hashing: ${first.seconds.toFixed(1)} s`);
    const ours: number[] = [];
    const found: number[] = [];
    for (let run = 1; run <= runs; run++) {
      const { stdout, seconds } = await tidemark.run('scan', 'files');
      const { unchanged } = JSON.parse(stdout);
      if (unchanged !== files) throw new Error(`of ${files} files ${unchanged} were found unchanged`);
      ours.push(seconds);
      found.push((await runChild('find', [root, '-printf', '%p %s %T@\\n'])).seconds);
      log(`${run}: ${seconds.toFixed(2)} s, find ${found.at(-1)!.toFixed(2)} s`);
    }
    rmSync(root, { recursive: true });
    return [
      {
        name: `scanning ${files.toLocaleString('en')} unchanged files, the whole process`,
        unit: 's',
        ours,
        baseline: { name: 'find -printf', values: found },
        limit: { most: 2 * median(found) + 3 },
      },
    ];
  },
};
