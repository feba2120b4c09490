import type { JobParts } from '../../src/jobs/job-parts.ts';
import { JobRunner } from '../../src/jobs/job-runner.ts';
import { jobName } from '../../src/stores/job.ts';
import type { StoreLocation } from '../../src/stores/locations.ts';
import { openStores } from '../../src/stores/open-stores.ts';
import { gatedJob } from './gated-job.ts';

export interface WorkerOptions {
  readonly store: StoreLocation;
  /** Where jobs write what they do. */
  readonly folder: string;
  readonly name: string;
  readonly leaseMs: number;
  readonly concurrency: number;
}

/** A process that runs the jobs of gated-job.ts. */
const { store, folder, name, leaseMs, concurrency } = JSON.parse(process.argv[2]!) as WorkerOptions;

const stores = await openStores(store);
const print = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);
const runner = new JobRunner({
  definitions: [gatedJob(folder, name)],
  parts: { jobs: { queue: stores.jobs } } as JobParts,
  worker: { name, leaseMs },
  concurrency,
  stopMs: 500,
  events: {
    onEnded: (job, { outcome }) => print({ job: jobName(job), outcome }),
    onTrouble: ({ message }) => print({ trouble: message }),
  },
});
runner.start();
process.on('SIGTERM', async () => {
  await runner.stop();
  await stores.close();
  process.exit();
});
print({ ready: true });
