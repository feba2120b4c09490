import { shards } from '../../config/store-values.ts';
import { TidemarkError } from '../../core/errors.ts';
import { armFailpoint } from '../../lib/failpoint.ts';
import { formatCount } from '../../lib/format-count.ts';
import { type Resharded, reshardStore } from '../../stores/open-stores.ts';
import type { CliCommand } from '../cli-command.ts';
import { startCountBar } from '../ui/count-bar.ts';
import { plural } from '../ui/table.ts';
import { requireStore } from '../with-app.ts';

const STEPS = {
  copy: 'Copying resources',
  'catch-up': 'Copying what has changed meanwhile',
  switch: 'Moving to the new index',
} as const;

export const reshard: CliCommand = {
  usage: 'reshard <shards>',
  summary:
    'Copies the resources of a store on Elasticsearch into an index with another number of primary shards. Servers go on meanwhile; for a second or a few, they cannot publish.',
  examples: [
    ['reshard 4', 'gives the index of resources, and the next index of changes, four primary shards'],
    ['reshard 1', 'gives it one again, such as after a trial'],
  ],

  async run({ args: [given = ''], loaded: { configuration }, terminal, stopped }) {
    const number = shards.safeParse(given);
    if (!number.success) {
      throw new TidemarkError('invalid', `the number of shards ${number.error.issues[0]!.message}`);
    }
    await requireStore(configuration);
    armFailpoint(configuration.failpoint);
    const bar = startCountBar(terminal);
    try {
      const resharded = await reshardStore(configuration.store, number.data, {
        signal: stopped,
        onProgress: (step, done, total) => bar.update(STEPS[step], done, total),
      });
      bar.end();
      await terminal.print(describe(resharded), resharded);
    } finally {
      bar.end();
    }
  },
};

function describe({ from, to, index, documents, blockedMs }: Resharded): string {
  if (from === to) return `The index of resources, ${index}, has ${plural(to, 'primary shard')} already.`;
  return [
    `The resources are in ${index} now, with ${plural(to, 'primary shard')} in place of ${from}: ${formatCount(documents)} documents.`,
    `Nothing could be written to the index for ${(blockedMs / 1000).toFixed(1)} seconds.`,
  ].join('\n');
}
