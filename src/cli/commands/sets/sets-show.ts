import type { CliCommand } from '../../cli-command.ts';
import { describeSet, viewSet } from '../../set-view.ts';
import { withExistingApp } from '../../with-app.ts';

export const setsShow: CliCommand = {
  group: 'sets',
  usage: 'show <id>',
  summary: 'Shows one set.',
  examples: [['sets show maps', 'shows settings, numbers and documents']],

  async run(call) {
    const view = await withExistingApp(call, async (app) => viewSet(app, await app.sets.bySlug(call.args[0]!)));
    await call.terminal.print(describeSet(view), view);
  },
};
