import type { App } from '../../../app.ts';
import { TidemarkError } from '../../../core/errors.ts';
import { askToConfirm } from '../../ask-to-confirm.ts';
import type { CliCommand } from '../../cli-command.ts';
import { viewSet } from '../../set-view.ts';
import { withExistingApp } from '../../with-app.ts';

interface Options {
  readonly confirm?: boolean;
}

export const setsRenew: CliCommand<Options> = {
  group: 'sets',
  usage: 'renew [id]',
  summary:
    'Begins a new history of one set, or of all, with its current resources: after a backup of the store was restored by other means than `tidemark restore`. Run it before a server is started on that store.',
  examples: [['sets renew --confirm', 'of all sets']],

  options(command) {
    command.option('--confirm', 'yes, begin a new history; without this, a terminal asks');
  },

  async run(call) {
    const [slug] = call.args;
    const renewed = await withExistingApp(call, async (app) => {
      const slugs =
        slug === undefined ? (await app.sets.list()).map((set) => set.slug) : [(await app.sets.bySlug(slug)).slug];
      const what = describe(slugs);
      const question = `Begin a new history? I${what.slice(1)}.`;
      if (call.options.confirm !== true && !(await askToConfirm(call, question))) throw unconfirmed(slugs, what);
      return renewAll(app, slugs);
    });
    const lines = renewed.map(({ set, epoch }) => `Renewed ${set}; its epoch is now ${epoch}.`);
    await call.terminal.print(lines.join('\n') || 'There is no set.', { sets: renewed });
  },
};

async function renewAll(app: App, slugs: readonly string[]) {
  const renewed = [];
  for (const slug of slugs) renewed.push(await viewSet(app, await app.sets.renew(slug)));
  return renewed;
}

function describe(sets: readonly string[]): string {
  const which = sets.length === 1 ? `"${sets[0]}"` : `these ${sets.length} sets`;
  return `it makes every client copy ${which} anew (a new epoch). That is needed when the store was restored from a backup, because clients know changes that the backup has lost`;
}

function unconfirmed(sets: readonly string[], what: string): TidemarkError {
  return new TidemarkError('conflict', `a new history must be confirmed: ${what}. Say --confirm to do it`, { sets });
}
