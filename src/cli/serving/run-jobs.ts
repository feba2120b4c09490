import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { App } from '../../app.ts';
import { ActivityChains } from '../../jobs/activity-chains.ts';
import { JOB_DEFINITIONS } from '../../jobs/job-list.ts';
import { type JobEvents, JobRunner } from '../../jobs/job-runner.ts';
import { runActivityJob } from '../../jobs/kinds/run-activity.ts';
import { INGEST_DATASET } from '../../jobs/open-requests.ts';
import { Scheduler } from '../../jobs/scheduler.ts';
import { jobName } from '../../stores/job.ts';
import { readKafkaRequests } from './read-kafka-requests.ts';

export interface RunningJobs {
  /** Resolves when no job runs any more, after about 10 seconds at most. */
  stop(): Promise<void>;
}

/** Runs jobs in this process, and adds scheduled jobs. */
export function runJobs(app: App, logger: Logger, definitions = JOB_DEFINITIONS): RunningJobs {
  const { concurrency, jobLeaseMs: leaseMs } = app.configuration;
  const worker = { name: `${hostname()}:${process.pid}`, leaseMs };
  const events = eventsOf(app, logger);
  const runner = new JobRunner({ definitions, parts: app, worker, concurrency, events });
  const scheduler = new Scheduler({
    definitions,
    parts: app,
    onTrouble: (err) => logger.error({ err }, 'scheduled jobs cannot be added'),
    onRecovered: () => logger.info('scheduled jobs are added again'),
  });
  const chains = new ActivityChains({
    parts: app,
    intervalMs: app.configuration.recordsPollIntervalMs,
    onTrouble: (err) => logger.error({ err }, 'activities that follow others cannot be run'),
    onRecovered: () => logger.info('activities that follow others are run again'),
  });
  runner.start();
  scheduler.start();
  // A worker of other kinds leaves runs of activities to others, as the scheduler does.
  if (definitions.some(({ kind }) => kind === runActivityJob.kind)) chains.start();
  const kafka = definitions.some(({ kind }) => kind === INGEST_DATASET) ? readKafkaRequests(app, logger) : undefined;
  return {
    async stop() {
      await Promise.all([chains.stop(), scheduler.stop(), runner.stop(), kafka?.stop()]);
    },
  };
}

function eventsOf({ metrics }: App, logger: Logger): JobEvents {
  return {
    onStarted: (job) => logger.debug({ job: jobName(job) }, `began the job ${jobName(job)}`),
    onEnded(job, { outcome, seconds, result, failure }) {
      metrics.jobs.ended(job.kind, outcome, seconds);
      const name = jobName(job);
      const fields = { job: name, duration_s: seconds, attempt: job.attempts };
      switch (outcome) {
        case 'done':
          return logger.info({ ...fields, result }, `did the job ${name}`);
        case 'failed':
          return logger.error({ ...fields, err: failure }, `the job ${name} has failed`);
        case 'queued':
          return logger.warn({ ...fields, err: failure }, `the job ${name} failed, and is tried again`);
        case 'given-back':
          // A job that waits checks often whether it still has to.
          if (failure !== undefined && job.wait !== undefined)
            return logger.debug(fields, `the job ${name} still waits`);
          if (failure !== undefined) return logger.info({ ...fields, err: failure }, `the job ${name} waits`);
          return logger.info(fields, `stopped the job ${name}, which another process or the next start runs`);
        case 'cancelled':
          return logger.info(fields, `the job ${name} was cancelled`);
        case 'lost':
          return logger.warn(fields, `another process has the job ${name}`);
      }
    },
    onTrouble: ({ code, message }) => logger.error({ code }, `jobs cannot be claimed: ${message}`),
    onRecovered: () => logger.info('jobs are claimed again'),
  };
}
