import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench, Figure } from '../figure.ts';
import { runChild } from '../support/child.ts';
import { makeTextFiles } from '../support/text-files.ts';
import { Tidemark } from '../support/tidemark.ts';

const CHANGES = 50_000;
const FILE_BYTES = 2_000;
const WAYS = [
  { compression: 'none', level: '-0' },
  { compression: 'by-type', level: '-6' },
] as const;
/** Changes a second. */
const LEAST = 20_000;

export const changeDump: Bench = {
  name: 'change-dump',
  about: 'packing 50,000 changes of 2 kB into a Change Dump, beside zip of the same files',

  async run({ folder, runs, scale, log }) {
    const root = folder.next('files');
    const changes = Math.round(CHANGES * scale);
    makeTextFiles(root, { files: changes, bytes: FILE_BYTES });
    const tidemark = await Tidemark.create(folder.next('data'));
    await tidemark.run('sets', 'add', 'files', '--root', root, '--keep-versions', '--window-size', String(changes));
    await tidemark.run('scan', 'files');
    const zipped = new Map<string, number[]>(WAYS.map(({ level }) => [level, []]));
    for (let run = 1; run <= runs; run++) {
      for (const [level, rates] of zipped) {
        const target = `${folder.next('zip')}.zip`;
        rates.push(changes / (await runChild('zip', [level, '-q', '-r', target, root])).seconds);
        rmSync(target);
      }
    }
    // One more change begins the next window, which gets all others: no deletion is packed. The Resource Dump, which is
    // built, too, is to have only a hundred files.
    await tidemark.run('sets', 'change', 'files', '--window-size', '1');
    writeFileSync(join(root, 'last.txt'), 'It closes the last window.');
    await tidemark.run('scan', 'files');
    await tidemark.run('sets', 'change', 'files', '--window-size', String(CHANGES));
    const [, ...others] = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    for (const { name } of others) rmSync(join(root, name), { recursive: true });
    await tidemark.run('scan', 'files');
    const figures: Figure[] = [];
    for (const { compression, level } of WAYS) {
      await tidemark.run('sets', 'change', 'files', '--dump-compression', compression);
      const ours: number[] = [];
      for (let run = 1; run <= runs; run++) {
        ours.push(changes / (await build(tidemark, changes)));
        log(`${compression} ${run}: ${ours.at(-1)!.toFixed(0)} changes/s`);
      }
      figures.push({
        name: `Change Dump of ${changes.toLocaleString('en')} changes of 2 kB, compression ${compression}, the whole process`,
        unit: 'changes/s',
        ours,
        baseline: { name: `zip ${level} -r`, values: zipped.get(level)! },
        limit: { least: LEAST },
      });
    }
    rmSync(root, { recursive: true });
    return figures;
  },
};

/** Builds the dump and removes it again. Returns the seconds that building took. */
async function build(tidemark: Tidemark, changes: number): Promise<number> {
  const { stdout, seconds } = await tidemark.run('dumps', 'build', 'files');
  const built = JSON.parse(stdout);
  if (built.changes.made < 1) throw new Error(`no package of changes was made: ${stdout}`);
  const { changeDump } = JSON.parse((await tidemark.run('dumps', 'list', 'files')).stdout);
  const packed = changeDump.totals.changes;
  if (packed !== changes) throw new Error(`${packed} changes were packed instead of ${changes}`);
  await tidemark.run('dumps', 'remove', 'files');
  return seconds;
}
