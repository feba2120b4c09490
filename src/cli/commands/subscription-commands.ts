import { subscriptionView } from '../../api/subscription-view.ts';
import type { CliCommand } from '../cli-command.ts';
import { formatTable } from '../ui/table.ts';
import { withExistingApp } from '../with-app.ts';

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
  },
};

export const subscriptionsRemove: CliCommand = {
  group: 'subscriptions',
  usage: 'remove <id>',
  summary: 'Ends a subscription. The process that delivers informs its callback, which can subscribe again.',
  examples: [['subscriptions remove 00001', 'ends one']],

  async run(call) {
    const removed = await withExistingApp(call, async ({ notifications: { subscriptions } }) => {
      const ended = await subscriptions.remove(call.args[0]!);
      return { ...subscriptionView(ended, await subscriptions.progress()), state: 'ending' };
    });
    await call.terminal.print(`The subscription ${removed.id} of ${removed.callback} ends.`, removed);
  },
};
