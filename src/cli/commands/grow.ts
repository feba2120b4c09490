import type { Command } from 'commander';
import { openArtifacts } from '../../artifacts/open-artifacts.ts';
import { type Grown, type GrowProgress, growStore, type NamedStores } from '../../backup/grow/grow-store.ts';
import { takeBack } from '../../backup/grow/take-back.ts';
import { growLocation } from '../../config/grow-location.ts';
import type { LoadedConfiguration } from '../../config/load-configuration.ts';
import { TidemarkError } from '../../core/errors.ts';
import { Closers } from '../../lib/calls/closers.ts';
import { armFailpoint } from '../../lib/failpoint.ts';
import { describeStore, type StoreLocation } from '../../stores/locations.ts';
import { openStores } from '../../stores/open-stores.ts';
import type { Call, CliCommand } from '../cli-command.ts';
import { type CountBar, startCountBar } from '../ui/count-bar.ts';
import { plural } from '../ui/table.ts';
import { requireStore } from '../with-app.ts';

interface Options {
  readonly takeBack?: boolean;
}

const STEPS: Readonly<Record<Exclude<GrowProgress['step'], 'pausing'>, string>> = {
  archiving: 'Archiving changes',
  replaying: 'Recording changes',
  comparing: 'Comparing with the archive',
};

export const grow: CliCommand<Options> = {
  usage: 'grow [url]',
  summary:
    'Moves the store to another one, while it is used: to Elasticsearch, to another cluster or prefix, or to a file. When it was stopped, call it again.',
  examples: [
    ['grow https://search.example.org:9200', 'moves a store in a file to Elasticsearch'],
    ['grow http://localhost:9200 --grow-prefix maps2', 'moves it to other indices'],
    ['grow https://search.example.org:9200 --take-back', 'undoes that, while the new store has nothing newer'],
  ],
  settings: ['artifacts', 's3Timeout', 'growCa', 'growPrefix'],

  options(command: Command) {
    command.option('--take-back', 'use the old store again, and not the new one');
  },

  async run(call) {
    const { terminal, options, loaded } = call;
    armFailpoint(loaded.configuration.failpoint);
    const location = growLocation(call.args[0], loaded.growing, call.workingDirectory);
    await requireStore(loaded.configuration);
    requireOther(loaded.configuration.store, location);
    const bar = startCountBar(terminal);
    const closers = new Closers();
    closers.add(async () => bar.end());
    try {
      if (options.takeBack) await runTakeBack(call, location, closers);
      else await runGrow(call, { location, bar }, closers);
    } finally {
      await closers.close();
    }
  },
};

async function runGrow(
  call: Call<Options>,
  { location, bar }: { readonly location: StoreLocation; readonly bar: CountBar },
  closers: Closers,
): Promise<void> {
  const { terminal, loaded, stopped } = call;
  const artifacts = openArtifacts(loaded.configuration.artifacts);
  closers.add(() => artifacts.close());
  const from = await openNamed(call, loaded.configuration.store, closers);
  // No second process fills a file.
  const to = await openNamed(call, location, closers, 'exclusive');
  const onProgress = (progress: GrowProgress) => {
    if (progress.step === 'pausing') terminal.say('The store takes no changes for some seconds.');
    else bar.update(STEPS[progress.step], progress.done, progress.total);
  };
  const grown = await growStore({ from, to, artifacts, signal: stopped, onProgress });
  bar.end();
  await terminal.print(describe(grown, from.name, to.name, location), { from: from.name, to: to.name, ...grown });
}

async function runTakeBack(call: Call<Options>, location: StoreLocation, closers: Closers): Promise<void> {
  const old = await openNamed(call, call.loaded.configuration.store, closers);
  const current = await openNamed(call, location, closers);
  await takeBack({ old, current });
  const message = `${old.name} is used again, and ${current.name} takes no changes any more. Start the servers with the settings of the old store.`;
  await call.terminal.print(message, { from: current.name, to: old.name, takenBack: true });
}

async function openNamed(
  { loaded, terminal }: { readonly loaded: LoadedConfiguration; readonly terminal: Call['terminal'] },
  location: StoreLocation,
  closers: Closers,
  lock?: 'exclusive',
): Promise<NamedStores> {
  const { failpoint } = loaded.configuration;
  const stores = await openStores(location, { failpoint, lock, onSlow: (message) => terminal.say(message) });
  closers.add(() => stores.close());
  return { stores, name: describeStore(location) };
}

function requireOther(from: StoreLocation, to: StoreLocation): void {
  if (describeStore(from) !== describeStore(to)) return;
  throw new TidemarkError('invalid', `the store is ${describeStore(to)}: name another one to move to`);
}

function describe({ changes, documents, jobs, pauseMs }: Grown, from: string, to: string, location: StoreLocation) {
  const settings =
    location.kind === 'sqlite'
      ? [`TIDEMARK_STORE=sqlite:${location.file}`]
      : [`TIDEMARK_STORE=${location.nodes.join(',')}`, `TIDEMARK_INDEX_PREFIX=${location.prefix}`];
  return [
    `Moved ${from} to ${to}: ${plural(changes, 'change')}, ${plural(documents, 'document')} of the catalog, ${plural(jobs, 'job')}. Writers were refused for ${(pauseMs / 1_000).toFixed(1)} s.`,
    'Restart all servers and workers with the new settings, and the same data folder and artifacts as before:',
    ...settings.map((setting) => `  ${setting}`),
  ].join('\n');
}
