import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type LoadedConfiguration, loadConfiguration } from '../../../config/load-configuration.ts';
import { TidemarkError } from '../../../core/errors.ts';
import { sourceHome } from '../../../core/set-uris.ts';
import { setUris } from '../../../publish/documents.ts';
import type { Call, CliCommand } from '../../cli-command.ts';
import { interval } from '../../options.ts';
import { isFreePort } from '../../serving/free-port.ts';
import { publishFolder } from '../../serving/publish-folder.ts';
import { SampleCollection } from './sample-collection.ts';

interface Options {
  /** Milliseconds. */
  readonly every?: number;
  readonly data?: string;
  readonly store?: string;
}

const SET = 'sample';
const USUAL_PORT = 8080;
const USUAL_INTERVAL_MS = 5_000;

export const demo: CliCommand<Options> = {
  usage: 'demo',
  summary:
    'Publishes a made-up collection that changes every few seconds, until Ctrl-C. It is in a temporary folder, which is removed then.',
  examples: [
    ['demo', 'at http://localhost:8080, or at a free port when that is taken'],
    ['demo --every 1s --port 9000', 'changes something every second'],
  ],
  settings: ['port'],

  options(command) {
    command.option('--every <time>', 'how often something changes (default: 5s)', interval);
  },

  async run(call) {
    if (call.options.data !== undefined || call.options.store !== undefined) throw keepsNothing();
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'tidemark-demo-')));
    const remove = () => rmSync(folder, { recursive: true, force: true });
    // Also called when a second signal ends the process.
    process.on('exit', remove);
    try {
      await publishSample(call, folder);
    } finally {
      remove();
      process.off('exit', remove);
    }
    call.terminal.say(`Removed ${folder}.`);
  },
};

async function publishSample(call: Call<Options>, folder: string): Promise<void> {
  const root = join(folder, SET);
  await mkdir(root);
  const collection = new SampleCollection(root);
  await collection.make();
  const loaded = await configurationIn(folder, call.loaded);
  const ending = new AbortController();
  const signal = AbortSignal.any([call.stopped, ending.signal]);
  let changing: Promise<void> | undefined;
  try {
    await publishFolder(
      { ...call, loaded, workingDirectory: folder },
      {
        root,
        id: SET,
        values: { title: 'A sample collection' },
        confirmed: false,
        confirmedRoot: true,
        async onPublished({ baseUrl }) {
          await tellWhere(call, { root, baseUrl });
          changing = keepChanging({ ...call, stopped: signal }, collection);
        },
      },
    );
  } finally {
    ending.abort();
    await changing;
  }
}

/** Only the port is taken from the environment and the configuration file: the rest is meant for a real source. */
async function configurationIn(folder: string, { configuration, given }: LoadedConfiguration) {
  const isFree = () => isFreePort('127.0.0.1', USUAL_PORT);
  const port = given.has('port') ? configuration.port : (await isFree()) ? USUAL_PORT : 0;
  const flags = { data: join(folder, 'data'), port: String(port) };
  return loadConfiguration({ flags, environment: {}, workingDirectory: folder }, true);
}

async function keepChanging({ terminal, stopped, options }: Call<Options>, collection: SampleCollection) {
  for (;;) {
    await wait(options.every ?? USUAL_INTERVAL_MS, undefined, { signal: stopped }).catch(() => {});
    if (stopped.aborted) return;
    const done = await collection
      .change()
      .catch((error: Error) => `the collection cannot be changed: ${error.message}`);
    terminal.say(`${new Date().toLocaleTimeString('en-GB')}  ${done}`);
  }
}

async function tellWhere(
  { terminal, options, program }: Call<Options>,
  { root, baseUrl }: { readonly root: string; readonly baseUrl: string },
): Promise<void> {
  const home = sourceHome(baseUrl);
  const { sourceDescription, capabilityList, changeList } = setUris(baseUrl, SET);
  const text = `
Published a made-up collection. Every ${(options.every ?? USUAL_INTERVAL_MS) / 1000} s, some of its files change.

  Web page     ${home}sets/${SET}/
  Change List  ${changeList}
  Files        ${root} (change some yourself)

In another terminal, copy it and keep the copy in sync until Ctrl-C, or check it:

  ${program} mirror ${capabilityList} copy --follow
  ${program} validate ${home}

Ctrl-C stops it and removes the folder. To publish a folder of yours: ${program} publish FOLDER
`;
  await terminal.print(text, { event: 'published', set: SET, root, home, sourceDescription, changeList });
}

function keepsNothing(): TidemarkError {
  const message = 'the demo keeps nothing: leave --data and --store out, or use tidemark publish';
  return new TidemarkError('invalid', message, { field: 'data' });
}
