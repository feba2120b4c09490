import type { JobView } from '../../../api/job-schemas.ts';
import { jobView } from '../../../api/job-views.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { withExistingApp } from '../../with-app.ts';
import { jobSituation } from './job-situation.ts';

export const jobsShow: CliCommand = {
  group: 'jobs',
  usage: 'show <job>',
  summary: 'Shows a job, named as in "jobs list", with its log.',
  examples: [['jobs show archive-log/20261123T020000Z', 'shows one with its log']],

  async run(call) {
    const name = call.args[0]!;
    const { job, log } = await withExistingApp(call, async ({ jobs }) => ({
      job: jobView(await jobs.queue.get(name)),
      log: await jobs.queue.log(name),
    }));
    await call.terminal.print([describe(job), ...log].join('\n'), { ...job, log });
    return EXIT.done;
  },
};

function describe(job: JobView): string {
  const { name, state, attempts, added, started, finished, worker, payload, error, result } = job;
  const situation = jobSituation(job);
  const facts = [
    ['payload', JSON.stringify(payload)],
    ['added', added],
    ['attempts', attempts],
    ['started', started],
    ['worker', worker],
    ['finished', finished],
    ['error', error],
    ['result', result === undefined ? undefined : JSON.stringify(result)],
  ].flatMap(([label, value]) => (value === undefined ? [] : [`  ${String(label).padEnd(9)} ${value}`]));
  return [`${name}: ${state}${situation === '' ? '' : ` (${situation})`}`, ...facts].join('\n');
}
