import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Bench } from '../figure.ts';
import { Reader } from '../support/documents.ts';
import { fileName, folderName, makeFileTree } from '../support/file-tree.ts';
import { MOST_MEMORY_MB } from '../support/peak-memory.ts';
import { type Server, Tidemark } from '../support/tidemark.ts';

/** What is done to the files, and what the change list must contain then. */
interface Deed {
  readonly name: string;
  readonly paths: readonly string[];
  act(root: string): void;
}

export const watch: Bench = {
  name: 'watch',
  about: 'publishing and watching 100,000 files in 5,000 folders',

  async run({ runs, scale, folder, log }) {
    const root = folder.next('files');
    const folders = Math.round(5_000 * scale);
    makeFileTree(root, folders);
    const tidemark = await Tidemark.create(folder.next('data'));
    const started = performance.now();
    let server = await tidemark.start(['publish', root, '--id', 'files']);
    log(`published after ${((performance.now() - started) / 1000).toFixed(1)} s`);
    const seen: number[] = [];
    const memory: number[] = [];
    try {
      for (let run = 1; run <= runs; run++) {
        for (const deed of deedsOf(run, folders)) {
          const milliseconds = await untilSeen(server, root, deed);
          seen.push(milliseconds / 1000);
          log(`${run}: ${deed.name} seen after ${milliseconds.toFixed(0)} ms`);
        }
        memory.push(server.peakMemory());
        log(`${run}: ${memory.at(-1)!.toFixed(0)} MB`);
        await server.stop();
        server = await tidemark.start(['publish', root]);
      }
    } finally {
      await server.stop();
    }
    return [
      {
        name: `watching ${(folders * 20).toLocaleString('en')} files, a change seen after`,
        unit: 's',
        ours: seen,
        limit: { most: 2 },
      },
      {
        name: '… peak memory (the first run with the first scan)',
        unit: 'MB',
        ours: memory,
        limit: { most: MOST_MEMORY_MB },
      },
    ];
  },
};

function deedsOf(run: number, folders: number): readonly Deed[] {
  const path = (folder: number, file: number) => `${folderName((folder * run * 7) % folders)}/${fileName(file)}`;
  const [edited, moved, deleted] = [path(11, 1), path(23, 2), path(37, run)] as const;
  const [added, target, moreFolder] = [`new-${run}/added.txt`, `moved-${run}.txt`, `moved-folder-${run}`] as const;
  const folder = folderName((folders - run * 3) % folders);
  return [
    { name: 'edit', paths: [edited], act: (root) => writeFileSync(join(root, edited), `edited in run ${run}\n`) },
    {
      name: 'add in a new folder',
      paths: [added],
      act(root) {
        mkdirSync(join(root, `new-${run}`));
        writeFileSync(join(root, added), `added in run ${run}\n`);
      },
    },
    { name: 'move', paths: [moved, target], act: (root) => renameSync(join(root, moved), join(root, target)) },
    {
      name: 'move of a folder',
      paths: [`${folder}/${fileName(0)}`, `${moreFolder}/${fileName(19)}`],
      act: (root) => renameSync(join(root, folder), join(root, moreFolder)),
    },
    { name: 'delete', paths: [deleted], act: (root) => rmSync(join(root, deleted)) },
  ];
}

/** Milliseconds until the change list contains every path with a time after the deed. */
async function untilSeen({ client }: Server, root: string, { paths, act }: Deed): Promise<number> {
  const reader = new Reader(client);
  const since = new Date().toISOString();
  const start = performance.now();
  act(root);
  for (;;) {
    const changes = await reader.readOpenChanges('files');
    if (paths.every((path) => lastChange(changes, path) > since)) return performance.now() - start;
    if (performance.now() - start > 60_000) throw new Error(`not seen: ${paths.join(', ')}`);
    await wait(20);
  }
}

/** The time of the last change of a path; empty when there is none. */
function lastChange(changes: string, path: string): string {
  const at = changes.lastIndexOf(`/${path}</loc>`);
  if (at < 0) return '';
  return /datetime="(.*?)"/.exec(changes.slice(at, at + 1000))?.[1] ?? '';
}
