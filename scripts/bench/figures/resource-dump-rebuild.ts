import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../figure.ts';
import { Tidemark } from '../support/tidemark.ts';

const FILES = 1_000_000;
const FILES_OF_A_FOLDER = 1_000;
/** Seconds. */
const MOST = 5;

export const resourceDumpRebuild: Bench = {
  name: 'resource-dump-rebuild',
  about: 'a Resource Dump of 1,000,000 files, of which one has changed',

  async run({ folder, scale, runs, log }) {
    const root = folder.next('files');
    const files = Math.round(FILES * scale);
    for (let at = 0; at < files; at++) {
      if (at % FILES_OF_A_FOLDER === 0) mkdirSync(join(root, folderOf(at)), { recursive: true });
      writeFileSync(fileAt(root, at), `the file ${at}`);
    }
    const tidemark = await Tidemark.create(folder.next('data'));
    await tidemark.run('sets', 'add', 'files', '--root', root);
    await tidemark.run('scan', 'files');
    const first = await tidemark.run('dumps', 'build', 'files');
    const { packages } = JSON.parse(first.stdout);
    log(`${packages} packages in ${first.seconds.toFixed(1)} s`);
    const ours: number[] = [];
    for (let run = 1; run <= runs; run++) {
      writeFileSync(fileAt(root, Math.floor((files * run) / (runs + 1))), `changed in run ${run}`);
      await tidemark.run('scan', 'files');
      const { stdout, seconds } = await tidemark.run('dumps', 'build', 'files');
      const { made, resources } = JSON.parse(stdout);
      if (made !== 1 || resources !== files) throw new Error(`not one package of all files was made: ${stdout}`);
      ours.push(seconds);
      log(`run ${run}: ${seconds.toFixed(2)} s`);
    }
    rmSync(root, { recursive: true });
    return [
      {
        name: `Resource Dump of ${files.toLocaleString('en')} files after one change: 1 of ${packages} packages, the whole process`,
        unit: 's',
        ours,
        limit: { most: MOST },
      },
    ];
  },
};

function folderOf(at: number): string {
  return String(Math.floor(at / FILES_OF_A_FOLDER)).padStart(4, '0');
}

function fileAt(root: string, at: number): string {
  return join(root, folderOf(at), `${at}.txt`);
}
