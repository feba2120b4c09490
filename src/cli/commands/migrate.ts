import { migrateStores } from '../../stores/open-stores.ts';
import type { CliCommand } from '../cli-command.ts';
import { requireStore } from '../with-app.ts';

export const migrate: CliCommand = {
  usage: 'migrate',
  summary: 'Takes the store to the schema of this version. Make a copy of it first.',
  examples: [['migrate', 'after an update, when all servers are stopped']],

  async run({ loaded: { configuration }, terminal }) {
    await requireStore(configuration);
    const { from, to } = await migrateStores(configuration.store);
    const message =
      from === to ? `The store has schema ${to} already.` : `Took the store from schema ${from} to ${to}.`;
    await terminal.print(message, { from, to });
  },
};
