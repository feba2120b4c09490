import { jobView } from '../../../api/job-views.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { withExistingApp } from '../../with-app.ts';

export const jobsCancel: CliCommand = {
  group: 'jobs',
  usage: 'cancel <job>',
  summary: 'Cancels a job. A running one ends when its worker notices that, a few seconds later.',
  examples: [['jobs cancel archive-log/20261123T020000Z', 'stops it, or takes it out of the queue']],

  async run(call) {
    const job = await withExistingApp(call, async (app) => jobView(await app.jobs.cancel(call.args[0]!)));
    await call.terminal.print(
      job.state === 'cancelled' ? `Cancelled the job ${job.name}.` : `The job ${job.name} is being cancelled.`,
      job,
    );
    return EXIT.done;
  },
};
