import type { App } from '../../../app.ts';
import { TidemarkError } from '../../../core/errors.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { viewSet } from '../../set-view.ts';
import { withExistingApp } from '../../with-app.ts';

interface Options {
  readonly confirm?: boolean;
}

export const setsRenew: CliCommand<Options> = {
  group: 'sets',
  usage: 'renew [id]',
  summary:
    'Begins a new history of one set, or of all, with the resources that are there: after a backup of the store was restored by other means than `tidemark restore`. Run it before a server is started on that store.',

  options(command) {
    command.option('--confirm', 'yes, begin a new history');
  },

  async run(call) {
    const [slug] = call.args;
    const renewed = await withExistingApp(call, async (app) => {
      const slugs = slug === undefined ? (await app.sets.list()).map((set) => set.slug) : [slug];
      if (call.options.confirm !== true) throw unconfirmed(slugs);
      return renewAll(app, slugs);
    });
    const lines = renewed.map(({ set, epoch }) => `Renewed ${set}; its epoch is now ${epoch}.`);
    await call.terminal.print(lines.join('\n') || 'There is no set.', { sets: renewed });
    return EXIT.done;
  },
};

async function renewAll(app: App, slugs: readonly string[]) {
  const renewed = [];
  for (const slug of slugs) renewed.push(await viewSet(app, await app.sets.renew(slug)));
  return renewed;
}

function unconfirmed(sets: readonly string[]): TidemarkError {
  return new TidemarkError(
    'conflict',
    `a new history (a new epoch) makes every client copy ${sets.length === 1 ? `"${sets[0]}"` : `these ${sets.length} sets`} anew. That is needed when the store was restored from a backup, because clients know changes that the backup has lost. Say --confirm to do it`,
    { sets },
  );
}
