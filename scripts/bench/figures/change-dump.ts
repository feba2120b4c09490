import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../figure.ts';
import { runChild } from '../support/child.ts';
import { makeTextFiles } from '../support/text-files.ts';
import { Tidemark } from '../support/tidemark.ts';

const CHANGES = 50_000;
const FILE_BYTES = 2_000;
/** Changes a second. */
const LEAST = 20_000;

export const changeDump: Bench = {
  name: 'change-dump',
  about: 'packing a closed window of 50,000 changes of 2 kB into a Change Dump, beside zip of the same files',

  async run({ folder, runs, scale, log }) {
    const root = folder.next('files');
    const changes = Math.round(CHANGES * scale);
    makeTextFiles(root, { files: changes, bytes: FILE_BYTES });
    const tidemark = await Tidemark.create(folder.next('data'));
    await tidemark.run('sets', 'add', 'files', '--root', root, '--keep-versions', '--window-size', String(changes));
    await tidemark.run('scan', 'files');
    const zipped: number[] = [];
    for (let run = 1; run <= runs; run++) {
      const target = `${folder.next('zip')}.zip`;
      zipped.push(changes / (await runChild('zip', ['-6', '-q', '-r', target, root])).seconds);
      rmSync(target);
    }
    // The next window begins. The Resource Dump, which is built, too, is to have only a hundred files.
    for (const name of readdirSync(root).slice(1)) rmSync(join(root, name), { recursive: true });
    writeFileSync(join(root, 'last.txt'), 'It closes the first window.');
    await tidemark.run('scan', 'files');
    const ours: number[] = [];
    for (let run = 1; run <= runs; run++) {
      const { stdout, seconds } = await tidemark.run('dumps', 'build', 'files');
      const built = JSON.parse(stdout);
      if (built.changes.made < 1) throw new Error(`no package of changes was made: ${stdout}`);
      await tidemark.run('dumps', 'remove', 'files');
      ours.push(changes / seconds);
      log(`${run}: ${ours.at(-1)!.toFixed(0)} changes/s`);
    }
    rmSync(root, { recursive: true });
    return [
      {
        name: `Change Dump of a window of ${changes.toLocaleString('en')} changes of 2 kB, the whole process`,
        unit: 'changes/s',
        ours,
        baseline: { name: 'zip -6 -r', values: zipped },
        limit: { least: LEAST },
      },
    ];
  },
};
