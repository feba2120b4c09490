import { subscriptionView } from '../../../api/subscription-views.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { formatTable } from '../../ui/table.ts';
import { withExistingApp } from '../../with-app.ts';

export const subscriptionsList: CliCommand = {
  group: 'subscriptions',
  usage: 'list',
  summary: 'Lists who is sent changes, how far they have come, and what fails.',
  examples: [['subscriptions list', 'lists them with their last delivery']],

  async run(call) {
    const subscriptions = await withExistingApp(call, async ({ notifications: { subscriptions } }) => {
      const state = await subscriptions.progress();
      return (await subscriptions.list()).map((one) => subscriptionView(one, state));
    });
    const rows = subscriptions.map(({ id, state, callback, topic, ends, sent, problem }) => {
      const [until, last] = [ends, sent].map((time) => time?.slice(0, 19) ?? '');
      return [id, state, until!, last!, callback, topic, problem ?? ''];
    });
    const table = formatTable(['ID', 'STATE', 'LEASE ENDS (UTC)', 'SENT (UTC)', 'CALLBACK', 'TOPIC', ''], rows);
    await call.terminal.print(rows.length === 0 ? 'There is no subscription.' : table, { subscriptions });
    return EXIT.done;
  },
};
