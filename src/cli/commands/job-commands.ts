import type { JobView } from '../../api/job-view.ts';
import { jobView, waitText } from '../../api/job-view.ts';
import { JOB_DEFINITIONS } from '../../jobs/job-list.ts';
import { JOB_STATES, type JobState } from '../../stores/job.ts';
import type { CliCommand } from '../cli-command.ts';
import { oneOf, wholeNumber } from '../options.ts';
import { formatTable } from '../ui/table.ts';
import { withExistingApp } from '../with-app.ts';

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
  },
};

function nothing({ state, kind }: Options): string {
  if (state === undefined && kind === undefined) return 'There are no jobs.';
  const known = JOB_DEFINITIONS.map((definition) => definition.kind);
  const filters = [kind !== undefined && `of the kind ${kind}`, state !== undefined && `in the state ${state}`];
  const text = `There is no job ${filters.filter(Boolean).join(' ')}.`;
  return kind === undefined || known.includes(kind) ? text : `${text} The kinds are ${known.join(', ')}.`;
}

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

export const jobsRetry: CliCommand = {
  group: 'jobs',
  usage: 'retry <job>',
  summary: 'Runs a job again that failed or was cancelled, or one at once that waits.',
  examples: [['jobs retry archive-log/20261123T020000Z', 'runs it again']],

  async run(call) {
    const job = await withExistingApp(call, async ({ jobs }) => jobView(await jobs.queue.retry(call.args[0]!)));
    await call.terminal.print(`The job ${job.name} is queued again.`, job);
  },
};

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
  },
};

/** The progress or result of a job, in a few words. */
function jobSituation(job: JobView): string {
  const { state, progress, waits, error, notBefore, finished, worker, cancelling } = job;
  switch (state) {
    case 'running':
      return [cancelling && 'is being cancelled', progressText(progress), `by ${worker}`].filter(Boolean).join(', ');
    case 'queued':
      if (waits !== undefined) return waitText(waits);
      return [notBefore && `not before ${notBefore}`, error && `after: ${firstLine(error)}`].filter(Boolean).join(', ');
    case 'failed':
      return firstLine(error ?? '');
    case 'done':
    case 'cancelled':
      return `at ${finished}`;
  }
}

function progressText(progress: JobView['progress']): string | undefined {
  if (progress === undefined) return undefined;
  const { done, total, text } = progress;
  const numbers = done === undefined ? undefined : total === undefined ? String(done) : `${done} of ${total}`;
  return [text, numbers].filter(Boolean).join(': ') || undefined;
}

function firstLine(text: string): string {
  return text.split('\n')[0]!;
}
