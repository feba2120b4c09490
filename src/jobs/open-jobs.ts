import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import type { NamedRequest } from '../datasets/results/requests.ts';
import { requireDumpable } from '../publish/dumps/dump-plan.ts';
import type { NamedUpload, Upload } from '../records/arrivals/upload.ts';
import type { NamedHarvest } from '../records/collections/harvest-run.ts';
import type { NamedRun } from '../records/runs/activity-run.ts';
import type { StreamWithSet } from '../records/stream-set-names.ts';
import type { Catalog } from '../stores/catalog.ts';
import { jobName } from '../stores/job.ts';
import type { JobQueue } from '../stores/job-queue.ts';
import { cancelJob } from './cancel-job.ts';
import { cancelJobsOf } from './cancel-jobs-of.ts';
import { jobOf } from './job-definition.ts';
import { JOB_DEFINITIONS } from './job-list.ts';
import type { JobParts } from './job-parts.ts';
import { JobsOfSets } from './jobs-of-set.ts';
import { buildDump } from './kinds/build-dump.ts';
import { cleanUpStreams } from './kinds/clean-up-streams.ts';
import { jobOfHarvest } from './kinds/harvest.ts';
import { jobOfRequest } from './kinds/ingest-dataset.ts';
import { keepList } from './kinds/keep-list.ts';
import { jobOfUpload } from './kinds/process-upload.ts';
import { jobOfRun } from './kinds/run-activity.ts';
import { OpenHarvests } from './open-harvests.ts';
import { OpenRequests } from './open-requests.ts';
import { OpenRuns } from './open-runs.ts';
import { progressOf } from './progress-of.ts';
import { retryUpload } from './retry-upload.ts';
import { idOfTime } from './schedule.ts';
import { nextTimes } from './scheduler.ts';
import { StreamDumpJobs } from './stream-dump-jobs.ts';
import { UploadEnds } from './upload-ends.ts';

interface JobsParts {
  readonly catalog: Catalog;
  readonly queue: JobQueue;
  readonly artifacts: ArtifactStore;
  /** The parts that jobs use, which are opened later. */
  parts(): JobParts;
}

/** The queue, and the jobs that users request or cancel. JobRunner and Scheduler run them. */
export interface Jobs extends ReturnType<typeof openJobs> {}

export function openJobs({ catalog, queue, artifacts, parts }: JobsParts) {
  const uploadEnds = new UploadEnds({ catalog, jobs: queue });
  return {
    queue,
    /** Jobs that build Resource Dumps. */
    dumps: new JobsOfSets(queue, buildDump, (set) => requireDumpable(set, 'conflict')),
    /** Jobs that keep Resource Lists in archives. */
    lists: new JobsOfSets(queue, keepList),
    /** Jobs that make dumps of records of streams. */
    streamDumps: new StreamDumpJobs(queue),
    /** Jobs that process uploads. */
    uploads: {
      add: (upload: NamedUpload) => queue.addAll([jobOfUpload(upload)]),
      /** @throws TidemarkError `not-found`; `conflict` when it has ended */
      cancel: (upload: NamedUpload) => queue.cancel(jobName(jobOfUpload(upload))),
      progressOf: (upload: NamedUpload) => progressOf(queue, jobOfUpload(upload)),
      /** Processes a failed upload again. @throws TidemarkError `conflict` when it has not failed */
      retry: (upload: Upload) => retryUpload({ catalog, jobs: queue, uploadEnds }, upload),
    },
    uploadEnds,
    /** Jobs that run activities. */
    runs: {
      nameOf: (run: NamedRun) => jobName(jobOfRun(run)),
      add: (run: NamedRun) => queue.addAll([jobOfRun(run)]),
    },
    openRuns: new OpenRuns({ catalog, artifacts, jobs: queue }),
    /** Jobs that harvest collections. */
    harvests: {
      nameOf: (run: NamedHarvest) => jobName(jobOfHarvest(run)),
      add: (run: NamedHarvest) => queue.addAll([jobOfHarvest(run)]),
    },
    openHarvests: new OpenHarvests({
      catalog,
      jobs: queue,
      endRun: (run, reason) => parts().records.harvestRunner.fail(run, reason),
    }),
    /** Jobs that ingest datasets. */
    datasets: {
      nameOf: (request: NamedRequest) => jobName(jobOfRequest(request)),
      add: (requests: readonly NamedRequest[]) => queue.addAll(requests.map(jobOfRequest)),
    },
    openRequests: new OpenRequests({ jobs: queue, datasets: () => parts().datasets }),
    /** @throws TidemarkError `not-found`; `conflict` when it has ended, or has published a part of an upload */
    cancel: (name: string) => cancelJob({ catalog, jobs: queue }, name),
    /** Jobs of streams that are removed. */
    removals: {
      cancelOf: (name: StreamWithSet) => cancelJobsOf(queue, name),
      /** Adds a job that ends all removals that were begun. */
      add: async () => {
        const job = jobOf(cleanUpStreams, { id: idOfTime(Date.now(), 'removal'), payload: {} });
        await queue.addAll([job]);
        return jobName(job);
      },
    },
    /** The next times at which jobs are added, the soonest first. */
    nextTimes: () => nextTimes({ definitions: JOB_DEFINITIONS, parts: parts() }, Date.now()),
  };
}
