import { setTimeout as wait } from 'node:timers/promises';
import { runErrorView, runView } from '../../../api/activity-run-view.ts';
import { isOpenRun, parseRun } from '../../../records/runs/activity-run.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { withExistingApp } from '../../with-app.ts';
import { describeRun } from './describe-run.ts';

interface Options {
  readonly wait?: true;
}

const POLL_MS = 500;
const FIRST_ERRORS = 20;

export const activityShow: CliCommand<Options> = {
  group: 'activity',
  usage: 'show <activity> <provider> <number>',
  summary: 'Shows a run of an activity: its state, numbers, first errors, artifact and options.',
  examples: [
    ['activity show mapping cdl 3', 'shows it as it is now'],
    ['activity show mapping cdl 3 --wait', 'waits until it has ended: for scripts'],
  ],

  options(command) {
    command.option('--wait', 'wait until it has ended: the exit code is 1 unless it has succeeded');
  },

  async run(call) {
    const [activity = '', provider = '', number = ''] = call.args;
    const name = parseRun(provider, activity, number);
    const { run, firstErrors } = await withExistingApp(call, async ({ records: { runs } }) => {
      let run = await runs.get(name);
      while (call.options.wait && isOpenRun(run)) {
        await wait(POLL_MS, undefined, { signal: call.stopped });
        run = await runs.get(name);
      }
      const { errata } = await runs.errata(run, { limit: FIRST_ERRORS });
      return { run, firstErrors: errata.map(runErrorView) };
    });
    const view = { ...runView(run), firstErrors };
    await call.terminal.print(describeRun(view), view);
    return call.options.wait && run.state !== 'succeeded' ? EXIT.failed : EXIT.done;
  },
};
