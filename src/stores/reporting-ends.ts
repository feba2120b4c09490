import type { Job } from './job.ts';
import type { JobRecords } from './job-records.ts';

/**
 * Reports each job that has ended as failed or cancelled, after that was stored: whether it waited or ran, or the lease
 * of its last attempt has ended. A process that is killed in between reports nothing.
 */
export function reportingEnds(records: JobRecords, report: (job: Job) => Promise<void>): JobRecords {
  return {
    create: (jobs) => records.create(jobs),
    get: (name) => records.get(name),
    async replace(job, version) {
      const replaced = await records.replace(job, version);
      if (replaced !== undefined && (job.state === 'failed' || job.state === 'cancelled')) await report(job);
      return replaced;
    },
    open: (kinds, now, limit) => records.open(kinds, now, limit),
    list: (filter) => records.list(filter),
    counts: () => records.counts(),
    log: (name) => records.log(name),
    putLog: (name, lines) => records.putLog(name, lines),
    remove: (state, finishedBefore) => records.remove(state, finishedBefore),
  };
}
