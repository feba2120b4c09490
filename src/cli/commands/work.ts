import { once } from 'node:events';
import type { App } from '../../app.ts';
import { settingsTakenBy } from '../../config/settings.ts';
import { TidemarkError } from '../../core/errors.ts';
import type { JobDefinition } from '../../jobs/job-definition.ts';
import { JOB_DEFINITIONS } from '../../jobs/job-list.ts';
import type { CliCommand } from '../cli-command.ts';
import { runDeliveries } from '../serving/run-deliveries.ts';
import { runJobs } from '../serving/run-jobs.ts';
import { logStop, openLogs } from '../serving/server-logs.ts';
import { watchMove } from '../serving/watch-move.ts';
import { withExistingApp } from '../with-app.ts';

interface Options {
  readonly kinds?: string;
}

export const work: CliCommand<Options> = {
  usage: 'work',
  summary: 'Runs jobs, and nothing else, until it is stopped: on as many machines as you like.',
  examples: [['work --kinds build-dump', 'runs jobs of one kind, beside a server with --no-jobs']],
  settings: settingsTakenBy('work'),
  logsInfo: true,
  runsJobs: true,

  options(command) {
    command.option('--kinds <kinds>', 'only jobs of these kinds, separated by commas (default: all)');
  },

  async run(call) {
    const { terminal, stopped, options } = call;
    const logs = openLogs(call);
    const { logger, isText } = logs;
    const definitions = definitionsOf(options.kinds);
    const kinds = definitions.map(({ kind }) => kind);
    await withExistingApp(call, async (app) => {
      const jobs = runJobs(app, logger, definitions);
      const deliveries = options.kinds === undefined ? runDeliveries(app, logger) : undefined;
      try {
        const { concurrency } = app.configuration;
        const msg = `Running jobs (${kinds.join(', ')}), ${concurrency} at a time.`;
        const value = { event: 'working', kinds, concurrency, msg };
        if (isText) await terminal.print(`${msg} Press Ctrl-C to stop.`, value);
        else await terminal.write(`${JSON.stringify(value)}\n`);
        await untilStopped(app, stopped);
        logStop(logs, 'stopping');
      } finally {
        await Promise.all([jobs.stop(), deliveries?.stop()]);
      }
    });
    logStop(logs, 'stopped');
  },
};

/** @throws TidemarkError `unavailable` when the store moves: then there is nothing left to do */
async function untilStopped(app: App, stopped: AbortSignal): Promise<void> {
  if (stopped.aborted) return;
  const ended = new AbortController();
  const moved = new Promise<never>((_, reject) => watchMove(app, ended.signal, reject));
  await Promise.race([once(stopped, 'abort'), moved]).finally(() => ended.abort());
}

function definitionsOf(kinds: string | undefined): readonly JobDefinition[] {
  if (kinds === undefined) return JOB_DEFINITIONS;
  return kinds.split(',').map((kind) => {
    const found = JOB_DEFINITIONS.find((definition) => definition.kind === kind);
    if (found !== undefined) return found;
    const known = JOB_DEFINITIONS.map((definition) => definition.kind).join(', ');
    throw new TidemarkError('invalid', `there is no kind of job "${kind}": there are ${known}`, { kind });
  });
}
