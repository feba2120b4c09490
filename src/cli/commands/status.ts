import type { CliCommand } from '../cli-command.ts';
import { withExistingApp } from '../with-app.ts';
import { describeStatus } from './describe-status.ts';
import { viewStatus } from './status-view.ts';

export const status: CliCommand = {
  usage: 'status',
  summary: 'Shows the state of the source: its store, its sets, its documents, and its running server.',
  examples: [['status', 'shows the source at a glance']],
  settings: ['host', 'port', 'ownPort'],

  async run(call) {
    const view = await withExistingApp(call, (app) => viewStatus(app, call.loaded.configuration));
    await call.terminal.print(describeStatus(view), view);
  },
};
