import { jobView } from '../../../api/job-views.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { withExistingApp } from '../../with-app.ts';

export const jobsRetry: CliCommand = {
  group: 'jobs',
  usage: 'retry <job>',
  summary: 'Runs a job again that failed or was cancelled, or one at once that waits.',
  examples: [['jobs retry archive-log/20261123T020000Z', 'runs it again']],

  async run(call) {
    const job = await withExistingApp(call, async ({ jobs }) => jobView(await jobs.queue.retry(call.args[0]!)));
    await call.terminal.print(`The job ${job.name} is queued again.`, job);
    return EXIT.done;
  },
};
