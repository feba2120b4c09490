import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
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
/** By so many, the faster baseline is found. */
const FEW = 2_000;
/** Of the rate of the faster baseline. */
const SHARE = 0.7;

export const mirror: Bench = {
  name: 'mirror',
  about: `the first copy of 100,000 files of 1 kB by ${CONNECTIONS} connections, beside aria2c and wget2 with a list of URLs`,

  async run(options) {
    const count = Math.round(FILES * options.scale);
    const root = options.folder.next('root');
    makeTextFiles(root, { files: count, bytes: BYTES });
    const tidemark = await Tidemark.create(options.folder.next('data'));
    await tidemark.addFolder('files', root);
    await tidemark.run('scan', 'files');
    const server = await tidemark.start(['serve'], { TIDEMARK_ACCESS_LOG: 'false' });
    try {
      const urls = urlsOf(`${tidemark.baseUrl}/sets/files/resources`, root);
      const baseline = await fasterOf(options, urls.slice(0, FEW));
      const list = writeList(options, urls);
      return await measure(options, count, [
        {
          name: 'mirror',
          run: (copy) => runMirror(`${tidemark.baseUrl}/`, copy, '--connections', String(CONNECTIONS)),
        },
        { name: baseline.program, run: (copy) => fetchList(baseline, list, copy) },
      ]);
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

interface Command {
  readonly name: string;
  run(folder: string): Promise<ClientRun>;
}

interface Runs extends Command {
  readonly runs: ClientRun[];
}

async function measure(
  { runs, folder, log }: BenchOptions,
  count: number,
  commands: readonly [Command, Command],
): Promise<readonly Figure[]> {
  const [ours, theirs] = commands.map((command) => ({ ...command, runs: [] as ClientRun[] })) as [Runs, Runs];
  for (let run = 1; run <= runs; run++) {
    for (const command of [ours, theirs]) {
      const copy = folder.next(command.name);
      const one = await command.run(copy);
      requireCopy(command.name, copy, count);
      rmSync(copy, { recursive: true });
      command.runs.push(one);
      const [wall, used] = [one.seconds.toFixed(1), one.processor.toFixed(1)];
      log(`${run}: ${command.name} ${wall} s, ${used} s of the processor, ${one.memory.toFixed(0)} MB`);
    }
  }
  const figure = (name: string, unit: string, read: (run: ClientRun) => number) => ({
    ...{ name, unit, ours: ours.runs.map(read) },
    baseline: { name: theirs.name, values: theirs.runs.map(read) },
  });
  const first = figure(`copying ${count.toLocaleString('en')} files of 1 kB`, 'files/s', (run) => count / run.seconds);
  return [
    { ...first, limit: { least: SHARE * median(first.baseline.values) } },
    figure('… processor time of the client', 's', ({ processor }) => processor),
    figure('… peak memory of the client', 'MB', ({ memory }) => memory),
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
