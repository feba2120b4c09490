import { spawnSync } from 'node:child_process';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench, BenchOptions, Figure } from '../figure.ts';
import { runMirror } from '../support/mirror-client.ts';
import { type ClientRun, runClient } from '../support/run-client.ts';
import { median } from '../support/spread.ts';
import { makeTextFiles } from '../support/text-files.ts';
import { Tidemark } from '../support/tidemark.ts';
import { installedClients, type UrlListClient } from '../support/url-list-clients.ts';

const FILES = 100_000;
const BYTES = 1_000;
const CONNECTIONS = 16;
/** By so many, the faster baseline is found: aria2c may take 15 ms for each. */
const FEW = 300;
/** Of the rate of the faster baseline. */
const SHARE = 0.7;
/** Of the rate of fetching each file alone. */
const RATE_OF_DUMP = 3;

export const mirror: Bench = {
  name: 'mirror',
  about: `the first copy of 100,000 files of 1 kB, file by file and by a dump, beside aria2c or wget2 with a list of URLs`,

  async run(options) {
    const count = Math.round(FILES * options.scale);
    const root = options.folder.next('root');
    makeTextFiles(root, { files: count, bytes: BYTES });
    const tidemark = await Tidemark.create(options.folder.next('data'));
    await tidemark.addFolder('files', root);
    await tidemark.run('scan', 'files');
    await tidemark.run('dumps', 'build', 'files');
    const server = await tidemark.start(['serve'], { TIDEMARK_ACCESS_LOG: 'false' });
    try {
      const urls = urlsOf(`${tidemark.baseUrl}/sets/files/resources`, root);
      const baseline = await fasterOf(options, urls.slice(0, FEW));
      const list = writeList(options, urls);
      const mirror = (copy: string, ...more: readonly string[]) =>
        runMirror(`${tidemark.baseUrl}/`, copy, '--connections', String(CONNECTIONS), ...more);
      const runs = await runAll(options, count, {
        mirror: (copy) => mirror(copy, '--no-dump'),
        baseline: (copy) => fetchList(baseline, list, copy),
        dump: (copy) => mirror(copy),
      });
      return figuresOf(runs, count, baseline.program);
    } finally {
      await server.stop();
    }
  },
};

/** Of those that are installed: one of them may take many times as long. */
async function fasterOf(options: BenchOptions, urls: readonly string[]): Promise<UrlListClient> {
  const list = writeList(options, urls);
  const times: { readonly client: UrlListClient; readonly seconds: number }[] = [];
  for (const client of installedClients(options.log)) {
    const copy = options.folder.next(client.program);
    const { seconds } = await fetchList(client, list, copy);
    requireCopy(client.program, copy, urls.length);
    times.push({ client, seconds });
    options.log(`${client.program}: ${urls.length} files in ${seconds.toFixed(1)} s`);
  }
  return times.toSorted((a, b) => a.seconds - b.seconds)[0]!.client;
}

const fetchList = ({ program, args }: UrlListClient, list: string, copy: string) =>
  runClient(program, args(list, copy, CONNECTIONS));

function writeList({ folder }: BenchOptions, urls: readonly string[]): string {
  const list = folder.next('urls');
  writeFileSync(list, urls.join('\n'));
  return list;
}

/** What is measured: fetching file by file, the baseline, and taking the files from the Resource Dump. */
type Measured<Value> = Readonly<Record<'mirror' | 'baseline' | 'dump', Value>>;

/** Runs the commands in turn. */
async function runAll(
  { runs, folder, log }: BenchOptions,
  count: number,
  commands: Measured<(copy: string) => Promise<ClientRun>>,
): Promise<Measured<readonly ClientRun[]>> {
  const done: Measured<ClientRun[]> = { mirror: [], baseline: [], dump: [] };
  for (let run = 1; run <= runs; run++) {
    for (const name of ['mirror', 'baseline', 'dump'] as const) {
      const copy = folder.next(name);
      // What the command before has not written yet is not for this one to wait for.
      spawnSync('sync');
      const one = await commands[name](copy);
      // The copies stay until the end: ext4 makes a file in several times as long for half a minute after many were
      // deleted, since it does not use their inodes again at once.
      requireCopy(name, copy, count);
      done[name].push(one);
      const [wall, used] = [one.seconds.toFixed(1), one.processor.toFixed(1)];
      log(`${run}: ${name} ${wall} s, ${used} s of the processor, ${one.memory.toFixed(0)} MB`);
    }
  }
  return done;
}

function figuresOf(runs: Measured<readonly ClientRun[]>, count: number, program: string): readonly Figure[] {
  const rate = ({ seconds }: ClientRun) => count / seconds;
  const processor = ({ processor }: ClientRun) => processor;
  const memory = ({ memory }: ClientRun) => memory;
  const figure = (name: string, unit: string, read: (run: ClientRun) => number) => ({
    ...{ name, unit, ours: runs.mirror.map(read) },
    baseline: { name: program, values: runs.baseline.map(read) },
  });
  const ofDump = (name: string, unit: string, read: (run: ClientRun) => number) => ({
    ...{ name, unit, ours: runs.dump.map(read) },
    baseline: { name: 'file by file', values: runs.mirror.map(read) },
  });
  return [
    {
      ...figure(`copying ${count.toLocaleString('en')} files of 1 kB, file by file`, 'files/s', rate),
      limit: { least: SHARE * median(runs.baseline.map(rate)) },
    },
    figure('… processor time of the client', 's', processor),
    figure('… peak memory of the client', 'MB', memory),
    {
      ...ofDump('the same from the Resource Dump', 'files/s', rate),
      limit: { least: RATE_OF_DUMP * median(runs.mirror.map(rate)) },
    },
    ofDump('… processor time of the client', 's', processor),
    ofDump('… peak memory of the client', 'MB', memory),
  ];
}

function urlsOf(base: string, root: string): readonly string[] {
  return pathsIn(root).map((path) => `${base}/${path}`);
}

/** Of all files below a folder, but those of the mirror itself. */
function pathsIn(root: string, below = ''): readonly string[] {
  return readdirSync(join(root, below), { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.tidemark-mirror'))
    .flatMap((entry) => (entry.isDirectory() ? pathsIn(root, `${below}${entry.name}/`) : [`${below}${entry.name}`]));
}

function requireCopy(name: string, folder: string, count: number): void {
  const files = pathsIn(folder).filter((path) => statSync(join(folder, path)).size === BYTES);
  if (files.length !== count) throw new Error(`${name} has copied ${files.length} files, not ${count}`);
}
