import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { SetRegistry } from '../../../src/sets/set-registry.ts';
import { openStores } from '../../../src/stores/open-stores.ts';
import type { Bench, BenchOptions, Figure } from '../figure.ts';
import { MOST_MEMORY_MB } from '../support/peak-memory.ts';
import { processorTime } from '../support/processor-time.ts';
import { secondsSince } from '../support/spread.ts';
import { type Server, Tidemark } from '../support/tidemark.ts';

const SETS = 20_000;
/** So many of them have a folder. */
const FOLDERS = 5_000;
const FILES = 20;
const IDLE_SECONDS = 30;
/** What follows the last comparison is over by then. */
const SETTLED_MS = 10_000;

export const largeSets: Bench = {
  name: 'large-sets',
  about: 'a source of 20,000 sets, 5,000 of them with a folder of 20 files',
  onlyByName: true,

  run: measure,
};

async function measure({ scale, runs, folder, log }: BenchOptions): Promise<readonly Figure[]> {
  const [sets, folders] = [Math.round(SETS * scale), Math.round(FOLDERS * scale)];
  const root = folder.next('folders');
  for (let number = 0; number < folders; number++) makeFiles(join(root, `${number}`));
  const tidemark = await Tidemark.create(folder.next('data'));
  // Records the base URL.
  await tidemark.addSet('one');
  const adding = await addSets(tidemark, { sets, folders, root });
  log(`${sets} sets added in ${adding.toFixed(1)} s`);
  const first: number[] = [];
  const again: number[] = [];
  const compared: number[] = [];
  const idle: number[] = [];
  const memory: number[] = [];
  for (let run = 0; run <= runs; run++) {
    const begin = performance.now();
    const server = await tidemark.start();
    try {
      await server.client.get('/readyz');
      (run === 0 ? first : again).push(secondsSince(begin));
      await untilScanned(server, folders);
      compared.push(secondsSince(begin));
      await wait(SETTLED_MS);
      const used = processorTime(server.pid);
      await wait(IDLE_SECONDS * 1_000);
      idle.push((100 * (processorTime(server.pid) - used)) / IDLE_SECONDS);
      memory.push(server.peakMemory());
    } finally {
      await server.stop();
    }
    const seconds = (again.at(-1) ?? first[0]!).toFixed(1);
    const all = compared.at(-1)!.toFixed(1);
    log(
      `${run}: ready after ${seconds} s, all compared after ${all} s, idle ${idle.at(-1)!.toFixed(1)} %, ${memory.at(-1)!.toFixed(0)} MB`,
    );
  }
  rmSync(root, { recursive: true });
  rmSync(tidemark.dataFolder, { recursive: true });
  const of = `with ${sets.toLocaleString('en')} sets, ${folders.toLocaleString('en')} of them of a folder`;
  return [
    { name: `start ${of}, until ready`, unit: 's', ours: again, limit: { most: 30 } },
    { name: `… the first one, which reads ${FILES} files of each folder`, unit: 's', ours: first },
    { name: '… until each folder was compared (the first run with the first scans)', unit: 's', ours: compared },
    { name: '… of a core, while nothing happens', unit: '%', ours: idle, limit: { most: 5 } },
    { name: '… peak memory', unit: 'MB', ours: memory, limit: { most: MOST_MEMORY_MB } },
  ];
}

function makeFiles(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (let file = 0; file < FILES; file++) writeFileSync(join(folder, `${file}.txt`), `${folder} ${file}\n`);
}

/** Waits until so many folders were compared since the server began. */
async function untilScanned({ client }: Server, folders: number): Promise<void> {
  for (;;) {
    const metrics = await client.text('/metrics');
    const [, count = '0'] = /^tidemark_scans_total\{[^}]*extent="full"[^}]*\} (\d+)/m.exec(metrics) ?? [];
    if (Number(count) >= folders) return;
    await wait(500);
  }
}

/** In this process: a command for each would start 20,000 processes. Returns the seconds it took. */
async function addSets(
  { dataFolder }: Tidemark,
  { sets, folders, root }: { readonly sets: number; readonly folders: number; readonly root: string },
): Promise<number> {
  const begin = performance.now();
  const { catalog, index, close } = await openStores({ kind: 'sqlite', file: join(dataFolder, 'tidemark.db') });
  const registry = new SetRegistry(catalog, index);
  for (let number = 0; number < sets; number++) {
    const slug = `set-${number}`;
    await (number < folders
      ? registry.add({ slug, origin: { kind: 'folder', path: join(root, `${number}`) } })
      : registry.add({ slug, urlPrefix: `https://repository.example.org/${slug}/` }));
  }
  await close();
  return secondsSince(begin);
}
