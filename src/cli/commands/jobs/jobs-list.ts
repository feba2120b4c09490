import { jobView } from '../../../api/job-views.ts';
import { JOB_DEFINITIONS } from '../../../jobs/job-list.ts';
import { JOB_STATES, type JobState } from '../../../stores/job.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { oneOf, wholeNumber } from '../../options.ts';
import { formatTable } from '../../ui/table.ts';
import { withExistingApp } from '../../with-app.ts';
import { jobSituation } from './job-situation.ts';

interface Options {
  readonly state?: JobState;
  readonly kind?: string;
  readonly limit: number;
}

const DEFAULT_LIMIT = 50;
const MOST = 10_000;

export const jobsList: CliCommand<Options> = {
  group: 'jobs',
  usage: 'list',
  summary: 'Lists jobs, the last added first.',
  examples: [['jobs list --state failed', 'lists the jobs that failed']],

  options(command) {
    command
      .option('--state <state>', `only jobs in this state: ${JOB_STATES.join(', ')}`, oneOf(...JOB_STATES))
      .option('--kind <kind>', 'only jobs of this kind')
      .option('--limit <number>', 'at most so many', wholeNumber(1, MOST), DEFAULT_LIMIT);
  },

  async run(call) {
    const { state, kind, limit } = call.options;
    const filter = { states: state && [state], kinds: kind === undefined ? undefined : [kind], limit };
    const found = await withExistingApp(call, ({ jobs }) => jobs.queue.list(filter));
    const jobs = found.map(jobView);
    const rows = jobs.map((job) => [job.name, job.state, job.attempts, job.added.slice(0, 19), jobSituation(job)]);
    const table = formatTable(['JOB', 'STATE', 'ATTEMPTS', 'ADDED (UTC)', ''], rows);
    await call.terminal.print(rows.length === 0 ? nothing(call.options) : table, { jobs });
    return EXIT.done;
  },
};

function nothing({ state, kind }: Options): string {
  if (state === undefined && kind === undefined) return 'There are no jobs.';
  const known = JOB_DEFINITIONS.map((definition) => definition.kind);
  const filters = [kind !== undefined && `of the kind ${kind}`, state !== undefined && `in the state ${state}`];
  const text = `There is no job ${filters.filter(Boolean).join(' ')}.`;
  return kind === undefined || known.includes(kind) ? text : `${text} The kinds are ${known.join(', ')}.`;
}
