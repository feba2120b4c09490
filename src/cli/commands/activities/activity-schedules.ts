import { scheduleViews } from '../../../api/activity-run-view.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { formatTable } from '../../ui/table.ts';
import { withExistingApp } from '../../with-app.ts';

export const activitySchedules: CliCommand = {
  group: 'activity',
  usage: 'schedules [provider]',
  summary: 'Lists when activities run by themselves.',
  examples: [['activity schedules', 'lists those of all providers']],

  async run(call) {
    const [provider] = call.args;
    const found = await withExistingApp(call, async ({ records: { organizations } }) =>
      provider === undefined ? organizations.list() : [await organizations.get(provider)],
    );
    const schedules = found.flatMap((one) => scheduleViews(one).map((view) => ({ organization: one.id, ...view })));
    const rows = schedules.map(({ organization, activity, cron, after, since: _, ...options }) => {
      const given = Object.keys(options).length === 0 ? '' : JSON.stringify(options);
      return [organization, activity, cron ?? `after ${after}`, given];
    });
    const table = formatTable(['PROVIDER', 'ACTIVITY', 'RUNS', 'OPTIONS'], rows);
    await call.terminal.print(rows.length === 0 ? 'No activity runs by itself.' : table, { schedules });
    return EXIT.done;
  },
};
