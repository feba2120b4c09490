import { TidemarkError } from '../../../core/errors.ts';
import { parseUrlPrefix } from '../../../sets/new-set.ts';
import { askToConfirm } from '../../ask-to-confirm.ts';
import type { CliCommand } from '../../cli-command.ts';
import { viewSet } from '../../set-view.ts';
import { withExistingApp } from '../../with-app.ts';

interface Options {
  readonly confirmMove?: boolean;
}

export const setsMove: CliCommand<Options> = {
  group: 'sets',
  usage: 'move <id> <url-prefix>',
  summary: 'Moves the resources of a set to another URL prefix. Every URI changes, and a new history begins.',
  examples: [
    ['sets move papers https://www.example.org/papers/ --confirm-move', 'after another server has taken them over'],
  ],

  options(command) {
    command.option('--confirm-move', 'yes, begin a new history; without this, a terminal asks');
  },

  async run(call) {
    const [slug = '', urlPrefix = ''] = call.args;
    const { view, isMoved } = await withExistingApp(call, async (app) => {
      const set = await app.sets.bySlug(slug);
      const { urlPrefix: before } = set;
      const hasPrefix = parseUrlPrefix(urlPrefix) === before && set.moving === undefined;
      if (hasPrefix) return { view: await viewSet(app, set), isMoved: false };
      const what = `every URI of ${slug} begins with ${before} now; a move changes them all and begins a new history (a new epoch)`;
      const question = `Move it? E${what.slice(1)}.`;
      if (call.options.confirmMove !== true && !(await askToConfirm(call, question)))
        throw new TidemarkError('conflict', `${what}. Say --confirm-move to do it`, { set: slug, urlPrefix: before });
      return { view: await viewSet(app, await app.sets.move(slug, urlPrefix)), isMoved: true };
    });
    const text = isMoved
      ? `Moved ${view.set} to ${view.urlPrefix}; its epoch is now ${view.epoch}.`
      : `${view.set} is at ${view.urlPrefix} already: nothing was moved.`;
    await call.terminal.print(text, view);
  },
};
