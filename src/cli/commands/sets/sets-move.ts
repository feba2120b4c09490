import { TidemarkError } from '../../../core/errors.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { viewSet } from '../../set-view.ts';
import { withExistingApp } from '../../with-app.ts';

interface Options {
  readonly confirmMove?: boolean;
}

export const setsMove: CliCommand<Options> = {
  group: 'sets',
  usage: 'move <id> <url-prefix>',
  summary: 'Moves the resources of a set to another URL prefix. Every URI changes, and a new history begins.',

  options(command) {
    command.option('--confirm-move', 'yes, begin a new history');
  },

  async run(call) {
    const [slug = '', urlPrefix = ''] = call.args;
    const view = await withExistingApp(call, async (app) => {
      const { urlPrefix: before } = await app.sets.bySlug(slug);
      if (call.options.confirmMove !== true) throw unconfirmed(slug, before);
      return viewSet(app, await app.sets.move(slug, urlPrefix));
    });
    await call.terminal.print(`Moved ${view.set} to ${view.urlPrefix}; its epoch is now ${view.epoch}.`, view);
    return EXIT.done;
  },
};

function unconfirmed(slug: string, before: string): TidemarkError {
  return new TidemarkError(
    'conflict',
    `every URI of ${slug} begins with ${before} now; a move changes them all and begins a new history (a new epoch). Say --confirm-move to do it`,
    { set: slug, urlPrefix: before },
  );
}
