import { subscriptionView } from '../../../api/subscription-views.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { withExistingApp } from '../../with-app.ts';

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
    return EXIT.done;
  },
};
