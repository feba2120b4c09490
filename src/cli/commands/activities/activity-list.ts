import { type RunView, runView } from '../../../api/activity-run-view.ts';
import { RUNNABLE_ACTIVITIES, type RunnableActivity } from '../../../records/activities/activities.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { oneOf, wholeNumber } from '../../options.ts';
import { formatTable } from '../../ui/table.ts';
import { withExistingApp } from '../../with-app.ts';

interface Options {
  readonly activity?: RunnableActivity;
  readonly limit: number;
}

export const activityList: CliCommand<Options> = {
  group: 'activity',
  usage: 'list <provider>',
  summary: 'Lists the runs of activities of a provider, newest first.',
  examples: [['activity list cdl', 'lists the last ones, by commands and jobs']],

  options(command) {
    command
      .option('--activity <activity>', 'only runs of this one', oneOf(...RUNNABLE_ACTIVITIES))
      .option('--limit <number>', 'how many, at most', wholeNumber(1, 10_000), 20);
  },

  async run(call) {
    const [organization = ''] = call.args;
    const found = await withExistingApp(call, async ({ records: { organizations, runs } }) => {
      await organizations.get(organization);
      return runs.list(organization, call.options);
    });
    const runs = found.map((run) => runView(run));
    const heads = ['RUN', 'ADDED (UTC)', 'STATE', 'WRITTEN', 'FAILED', ''];
    const table = formatTable(heads, runs.map(rowOf));
    await call.terminal.print(runs.length === 0 ? 'There is no run.' : table, { organization, runs });
    return EXIT.done;
  },
};

function rowOf({ activity, number, added, state, totals, artifact, failure }: RunView): readonly (string | number)[] {
  const counts = [totals?.written ?? '', totals?.failed ?? ''];
  return [`${activity}/${number}`, added.slice(0, 19), state, ...counts, artifact ?? failure ?? ''];
}
