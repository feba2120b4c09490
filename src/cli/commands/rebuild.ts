import { openArtifacts } from '../../artifacts/open-artifacts.ts';
import { chooseChain } from '../../backup/choose-chain.ts';
import { type RebuildProgress, type Rebuilt, rebuild as rebuildStore } from '../../backup/rebuild-store.ts';
import { formatStamp } from '../../core/stamp.ts';
import { armFailpoint } from '../../lib/failpoint.ts';
import { describeStore } from '../../stores/locations.ts';
import { openStores } from '../../stores/open-stores.ts';
import type { CliCommand } from '../cli-command.ts';
import { startCountBar } from '../ui/count-bar.ts';
import { plural } from '../ui/table.ts';

interface Options {
  readonly from?: string;
  readonly renew?: boolean;
}

const STEPS: Readonly<Record<RebuildProgress['step'], string>> = {
  replaying: 'Recording changes',
  comparing: 'Comparing with the archive',
};

export const rebuild: CliCommand<Options> = {
  usage: 'rebuild',
  summary:
    'Makes log, state and history of an empty store again, from the archive of a log in the artifact store. When it was stopped, it goes on.',
  examples: [['rebuild --renew', 'after the store was lost']],
  settings: ['artifacts', 's3Timeout'],

  options(command) {
    command
      .option('--from <archive>', 'which archive, when there are several')
      .option(
        '--renew',
        'begin a new history of every set: for a store that was lost with changes which are not in the archive',
      );
  },

  async run({ terminal, options, loaded, stopped }) {
    const { artifacts: location, store, failpoint } = loaded.configuration;
    armFailpoint(failpoint);
    const bar = startCountBar(terminal);
    const artifacts = openArtifacts(location);
    const onSlow = (message: string) => terminal.say(message);
    const name = `the store ${describeStore(store)}`;
    try {
      // Checked before a store is made.
      const chain = await chooseChain(artifacts, options.from);
      const stores = await openStores(store, { failpoint, lock: 'exclusive', onSlow });
      const rebuilt = await rebuildStore({
        stores,
        name,
        artifacts,
        chain,
        renew: options.renew,
        signal: stopped,
        onProgress: ({ step, done, total }) => bar.update(STEPS[step], done, total),
      }).finally(() => stores.close());
      bar.end();
      const { lastChange, ...view } = rebuilt;
      const last = lastChange === undefined ? undefined : formatStamp(lastChange);
      await terminal.print(describe(rebuilt, name, last), { store: describeStore(store), ...view, lastChange: last });
    } finally {
      bar.end();
      await artifacts.close();
    }
  },
};

function describe({ archive, changes, sets, renewed }: Rebuilt, name: string, last: string | undefined): string {
  const lines = [
    `Made ${name} of the archive ${archive}: ${plural(sets.length, 'set')}, ${plural(changes, 'change')}${last === undefined ? '' : `, up to ${last}`}.`,
  ];
  if (renewed) lines.push('Every set has a new epoch: clients copy it anew.');
  else
    lines.push(
      'If the lost store had changes after that, begin a new history of each set: "tidemark sets renew --confirm".',
    );
  return lines.join('\n');
}
