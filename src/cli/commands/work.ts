import { once } from 'node:events';
import { TidemarkError } from '../../core/errors.ts';
import type { JobDefinition } from '../../jobs/job-definition.ts';
import { JOB_DEFINITIONS } from '../../jobs/job-list.ts';
import { createLogger } from '../../observe/logs/logger.ts';
import type { CliCommand } from '../cli-command.ts';
import { EXIT } from '../exit-code.ts';
import { runDeliveries } from '../run-deliveries.ts';
import { runJobs } from '../run-jobs.ts';
import { withExistingApp } from '../with-app.ts';

interface Options {
  readonly kinds?: string;
}

export const work: CliCommand<Options> = {
  usage: 'work',
  summary: 'Runs jobs, and nothing else, until it is stopped: on as many machines as you like.',
  settings: ['hub', 'subscriberNetworks', 'concurrency', 'jobLease', 'timeZone', 'artifacts', 'archive', 's3Timeout'],
  logsInfo: true,

  options(command) {
    command.option('--kinds <kinds>', 'only jobs of these kinds, separated by commas (default: all)');
  },

  async run(call) {
    const { terminal, stopped, options, loaded } = call;
    const definitions = definitionsOf(options.kinds);
    const kinds = definitions.map(({ kind }) => kind);
    await withExistingApp(call, async (app) => {
      const jobs = runJobs(app, createLogger(loaded.configuration.logLevel), definitions);
      const deliveries =
        options.kinds === undefined ? runDeliveries(app, createLogger(loaded.configuration.logLevel)) : undefined;
      try {
        const { concurrency } = app.configuration.jobs;
        const message = `Running jobs (${kinds.join(', ')}), ${concurrency} at a time. Press Ctrl-C to stop.`;
        await terminal.print(message, { event: 'working', kinds, concurrency });
        if (!stopped.aborted) await once(stopped, 'abort');
      } finally {
        await Promise.all([jobs.stop(), deliveries?.stop()]);
      }
    });
    return EXIT.done;
  },
};

function definitionsOf(kinds: string | undefined): readonly JobDefinition[] {
  if (kinds === undefined) return JOB_DEFINITIONS;
  return kinds.split(',').map((kind) => {
    const found = JOB_DEFINITIONS.find((definition) => definition.kind === kind);
    if (found !== undefined) return found;
    const known = JOB_DEFINITIONS.map((definition) => definition.kind).join(', ');
    throw new TidemarkError('invalid', `there is no kind of job "${kind}": there are ${known}`, { kind });
  });
}
